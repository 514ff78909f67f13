// Discard and apply a priority
extern "C" __global__ void k(unsigned* out, const unsigned* in, unsigned n){
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  asm volatile("applypriority.global.L2::evict_normal [%0], 128;" :: "l"((unsigned long long)(in + 4 * (i & ~31u)) & ~127ull) : "memory");
  out[4 * i] = in[4 * i];
}
