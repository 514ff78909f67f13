#include "warp.h"
extern "C" __global__ void sum(float *out, const float *in, int n) {
  __shared__ float part[32];
  float x = 0;
  for (int i = global_index(); i < n; i += gridDim.x * blockDim.x)
    x += in[i];
  x = warp_sum(x);
  if (threadIdx.x % 32 == 0)
    part[threadIdx.x / 32] = x;
  __syncthreads();
  if (threadIdx.x < 32) {
    float y = threadIdx.x < blockDim.x / 32 ? part[threadIdx.x] : 0;
    y = warp_sum(y);
    if (threadIdx.x == 0)
      atomicAdd(out, y);
  }
}
