// Sorts blockDim.x numbers per block (a power of two), ascending, by a bitonic network in shared memory.
extern "C" __global__ void bitonic(int *data) {
  __shared__ int s[256];
  unsigned t = threadIdx.x;
  s[t] = data[blockIdx.x * blockDim.x + t];
  __syncthreads();
  for (unsigned k = 2; k <= blockDim.x; k <<= 1)
    for (unsigned j = k >> 1; j > 0; j >>= 1) {
      unsigned o = t ^ j;
      if (o > t) {
        int a = s[t], b = s[o];
        if (((t & k) == 0) == (a > b)) {
          s[t] = b;
          s[o] = a;
        }
      }
      __syncthreads();
    }
  data[blockIdx.x * blockDim.x + t] = s[t];
}
