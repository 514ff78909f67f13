#include "warp.h"
__constant__ float weights[16] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
__device__ int visits;

extern "C" __global__ void table(float *out, const float *in, int n) {
  int i = global_index();
  float sum = 0;
  for (int k = 0; k < n; k++)
    sum += weights[k & 15] * in[i + k];
  if (threadIdx.x == 0)
    atomicAdd(&visits, 1);
  out[i] = sum;
}
