// Bit tricks, each into its own word.
extern "C" __global__ void bits(const unsigned *in, unsigned *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned a = in[2 * i], b = in[2 * i + 1];
  unsigned long long d = (unsigned long long)a << 32 | b;
  unsigned *o = out + 16 * i;
  o[0] = __popc(a);
  o[1] = __clz(a >> (b & 31));
  o[2] = __brev(a);
  o[3] = __ffs(a << (b & 31));
  o[4] = __funnelshift_l(a, a, b);
  o[5] = __funnelshift_rc(a, b, b >> 16);
  o[6] = a >> 7 & 0x1ff;
  o[7] = (unsigned)((int)(a << 11) >> 21);
  o[8] = (a & ~0x00ffff00u) | (b << 8 & 0x00ffff00u);
  o[9] = __byte_perm(a, b, 0x2741);
  o[10] = __popcll(d) + 100 * __clzll(d >> (b & 63));
  o[11] = (unsigned)(__brevll(d) >> 20);
  o[12] = a & -a;
  o[13] = (a ^ b) & ~(a | b >> 1);
  o[14] = __ffsll(d << (a & 63));
  o[15] = a & (a - 1) ? 31 - __clz(a) : 0xffffffffu;
}
