// dp4a, dp2a, byte permutes, SIMD in a word
extern "C" __global__ void k(unsigned* out, const unsigned* in, unsigned n){
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  int a = in[4 * i], b = in[4 * i + 1];
  out[4 * i] = __dp4a(a, b, 7) + __dp2a_lo(a, b, 3); out[4 * i + 1] = __byte_perm(a, b, 0x3715) + __vadd4(a, b);
  out[4 * i + 2] = __vmaxs2(a, b) ^ __vabsdiffu4(a, b); out[4 * i + 3] = __vsetgtu4(a, b) + __funnelshift_l(a, b, 11);
}
