// 128-bit compare and swap
extern "C" __global__ void k(unsigned* out, const unsigned* in, unsigned n){
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned long long lo, hi;
  asm volatile("{ .reg .b128 o, c, v; mov.b128 c, {%3, %4}; mov.b128 v, {%4, %3}; atom.global.cas.b128 o, [%2], c, v; mov.b128 {%0, %1}, o; }"
    : "=l"(lo), "=l"(hi) : "l"(out + 4 * i), "l"((unsigned long long)in[4 * i]), "l"(0ull) : "memory");
  out[4 * i] = (unsigned)(lo ^ hi);
}
