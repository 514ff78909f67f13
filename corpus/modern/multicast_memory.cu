// multimem reductions
extern "C" __global__ void k(unsigned* out, const unsigned* in, unsigned n){
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned v;
  asm volatile("multimem.ld_reduce.relaxed.sys.global.add.u32 %0, [%1];" : "=r"(v) : "l"(in + 4 * i) : "memory");
  asm volatile("multimem.st.relaxed.sys.global.u32 [%0], %1;" :: "l"(out + 4 * i), "r"(v) : "memory");
}
