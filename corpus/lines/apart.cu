__device__ __noinline__ int mix(int x, int *log) {
  int y = x * 2654435761u;
  log[x & 31] = y;
  return y ^ (y >> 15);
}

extern "C" __global__ void apart(int *out, int *log) {
  int i = threadIdx.x;
  int a = mix(i, log);
  int b = mix(a, log + 32);
  out[i] = a + b;
}
