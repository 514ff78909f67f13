#include "warp.h"
extern "C" __global__ void histogram(unsigned *counts, const unsigned char *text, int n) {
  __shared__ unsigned bins[256];
  bins[threadIdx.x] = 0;
  __syncthreads();
  for (int i = global_index(); i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&bins[text[i]], 1u);
  __syncthreads();
  atomicAdd(&counts[threadIdx.x], bins[threadIdx.x]);
}
