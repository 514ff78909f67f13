// Loads and stores with hints and policies
extern "C" __global__ void k(unsigned* out, const unsigned* in, unsigned n){
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned long long p; unsigned v;
  asm volatile("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(p));
  asm volatile("ld.global.L2::cache_hint.b32 %0, [%1], %2;" : "=r"(v) : "l"(in + 4 * i), "l"(p));
  v += __ldcs(in + 4 * i + 1) + __ldg(in + 4 * i + 2) + __ldcv(in + 4 * i + 3);
  asm volatile("prefetch.global.L2 [%0];" :: "l"(in + 4 * i));
  __stwt(out + 4 * i, v); __stcg(out + 4 * i + 1, v ^ 1u);
  asm volatile("st.global.L1::no_allocate.L2::cache_hint.b32 [%0], %1, %2;" :: "l"(out + 4 * i + 2), "r"(v), "l"(p) : "memory");
}
