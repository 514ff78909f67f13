// Sum of 2*blockDim.x numbers per block: two loads, a warp tree by shuffles, one shared slot per warp, a last warp.
extern "C" __global__ void reduce(const float *x, float *sums, int n) {
  __shared__ float part[32];
  int tid = threadIdx.x, i = blockIdx.x * blockDim.x * 2 + tid;
  float v = i < n ? x[i] : 0.0f;
  if (i + (int)blockDim.x < n) v += x[i + blockDim.x];
  for (int d = 16; d > 0; d >>= 1) v += __shfl_down_sync(0xffffffffu, v, d);
  if ((tid & 31) == 0) part[tid >> 5] = v;
  __syncthreads();
  if (tid < 32) {
    v = tid < blockDim.x / 32 ? part[tid] : 0.0f;
    for (int d = 16; d > 0; d >>= 1) v += __shfl_down_sync(0xffffffffu, v, d);
    if (tid == 0) sums[blockIdx.x] = v;
  }
}
