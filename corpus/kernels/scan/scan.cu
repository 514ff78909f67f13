// Inclusive prefix sum within each block: shuffles within a warp, shared memory between warps.
extern "C" __global__ void scan(const int *in, int *out, int *totals) {
  __shared__ int warps[32];
  int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, i = blockIdx.x * blockDim.x + threadIdx.x;
  int v = in[i];
#pragma unroll
  for (int d = 1; d < 32; d <<= 1) {
    int o = __shfl_up_sync(0xffffffffu, v, d);
    if (lane >= d) v += o;
  }
  if (lane == 31) warps[warp] = v;
  __syncthreads();
  if (warp == 0) {
    int t = lane < blockDim.x / 32 ? warps[lane] : 0;
#pragma unroll
    for (int d = 1; d < 32; d <<= 1) {
      int o = __shfl_up_sync(0xffffffffu, t, d);
      if (lane >= d) t += o;
    }
    warps[lane] = t;
  }
  __syncthreads();
  if (warp > 0) v += warps[warp - 1];
  out[i] = v;
  if (threadIdx.x == blockDim.x - 1) totals[blockIdx.x] = v;
}
