// Clocks, timers, processors
extern "C" __global__ void k(unsigned* out, const unsigned* in, unsigned n){
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  long long c = clock64(); unsigned s, w, l, g; unsigned long long t;
  asm volatile("mov.u32 %0, %%smid; mov.u32 %1, %%warpid; mov.u32 %2, %%laneid; mov.u64 %3, %%globaltimer; mov.u32 %4, %%nsmid;" : "=r"(s), "=r"(w), "=r"(l), "=l"(t), "=r"(g));
  __nanosleep(100);
  out[4 * i] = (clock64() - c) > 0; out[4 * i + 1] = l; out[4 * i + 2] = s < g; out[4 * i + 3] = t != 0;
}
