__device__ __forceinline__ void atomic_max(float *place, float x) {
  int old = *(volatile int *)place;
  while (__int_as_float(old) < x) {
    int seen = old;
    old = atomicCAS((int *)place, seen, __float_as_int(x));
    if (old == seen)
      break;
  }
}

extern "C" __global__ void casmax(float *most, const float *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    atomic_max(most, in[i]);
}
