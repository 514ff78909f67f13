// Curve25519: the ladder over a field of five words of 51 bits.
#include <stdint.h>
struct Field { uint64_t w[5]; };
__device__ Field multiply(const Field &a, const Field &b) {
  constexpr uint64_t mask = (1ull << 51) - 1;
  uint64_t lo[5], hi[5];
#pragma unroll
  for (int i = 0; i < 5; i++) {
    lo[i] = hi[i] = 0;
#pragma unroll
    for (int j = 0; j < 5; j++) {
      uint64_t x = a.w[j], y = b.w[(i - j + 5) % 5] * (j > i ? 19 : 1), l = x * y;
      lo[i] += l, hi[i] += __umul64hi(x, y) + (lo[i] < l);
    }
  }
  Field r;
  uint64_t carry = 0;
#pragma unroll
  for (int i = 0; i < 5; i++) {
    uint64_t l = lo[i] + carry;
    hi[i] += l < carry;
    r.w[i] = l & mask, carry = hi[i] << 13 | l >> 51;
  }
  r.w[0] += carry * 19, r.w[1] += r.w[0] >> 51, r.w[0] &= mask;
  return r;
}
__device__ Field plus(const Field &a, const Field &b) { Field r; for (int i = 0; i < 5; i++) r.w[i] = a.w[i] + b.w[i]; return r; }
__device__ Field minus(const Field &a, const Field &b) { Field r; for (int i = 0; i < 5; i++) r.w[i] = a.w[i] + (i ? 0xffffffffffffeull : 0xfffffffffffdaull) - b.w[i]; return r; }
extern "C" __global__ void ladder25519(Field *out, const Field *point, const uint32_t *scalar, int bits) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  Field x1 = point[t], x2 = {{1, 0, 0, 0, 0}}, z2 = {}, x3 = x1, z3 = x2, a24 = {{121665, 0, 0, 0, 0}};
  for (int i = bits - 1; i >= 0; i--) {
    uint64_t swap = 0 - (uint64_t)(scalar[t * 8 + i / 32] >> i % 32 & 1);
#pragma unroll
    for (int j = 0; j < 5; j++) {
      uint64_t d = (x2.w[j] ^ x3.w[j]) & swap, e = (z2.w[j] ^ z3.w[j]) & swap;
      x2.w[j] ^= d, x3.w[j] ^= d, z2.w[j] ^= e, z3.w[j] ^= e;
    }
    Field a = plus(x2, z2), b = minus(x2, z2), aa = multiply(a, a), bb = multiply(b, b), e = minus(aa, bb);
    Field da = multiply(minus(x3, z3), a), cb = multiply(plus(x3, z3), b), s = plus(da, cb), d = minus(da, cb);
    x3 = multiply(s, s), z3 = multiply(x1, multiply(d, d)), x2 = multiply(aa, bb), z2 = multiply(e, plus(aa, multiply(a24, e)));
  }
  out[t * 2] = x2, out[t * 2 + 1] = z2;
}
