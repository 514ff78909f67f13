// Atomics whose results do not depend on the order: a maximum of floats by compare-and-swap, sums of whole floats, and the rest.
__device__ void max_float(float *at, float v) {
  int *p = (int *)at, old = *(volatile int *)p;
  while (__int_as_float(old) < v) {
    int seen = atomicCAS(p, old, __float_as_int(v));
    if (seen == old) break;
    old = seen;
  }
}
extern "C" __global__ void atomics(const float *x, const int *k, float *most, float *sum, int *o, unsigned long long *big) {
  __shared__ int block;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x == 0) block = 0;
  __syncthreads();
  max_float(most, x[i]);
  atomicAdd(sum, floorf(x[i]));
  atomicMax(o, k[i]);
  atomicMin(o + 1, k[i]);
  atomicAnd(o + 2, k[i] | 0xff00ff);
  atomicOr(o + 3, k[i] & 0x3300);
  atomicXor(o + 4, k[i]);
  atomicSub(o + 5, k[i]);
  atomicInc((unsigned *)o + 6, 12u);
  atomicDec((unsigned *)o + 7, 20u);
  atomicAdd(big, (unsigned long long)(long long)k[i] * 0x100000001ull);
  atomicMax(big + 1, (unsigned long long)k[i] << 20);
  atomicAdd(&block, k[i] & 0xff);
  atomicExch(o + 8, 77);
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(o + 9, block);
}
