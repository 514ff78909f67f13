// Digests: MD5 in a search that compares them, SipHash of strings.
#include <stdint.h>
__device__ uint64_t ror(uint64_t x, int n) { return x >> n | x << (64 - n); }
__device__ uint32_t rol(uint32_t x, int n) { return x << n | x >> (32 - n); }

extern "C" __global__ void md5_search(uint32_t *found, uint4 wanted, uint32_t first) {
  constexpr uint8_t shift[4][4] = {{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};
  constexpr uint32_t k[64] = {0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a, 0xa8304613, 0xfd469501, 0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be, 0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821, 0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa, 0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8, 0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed, 0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a, 0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70, 0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665, 0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1, 0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1, 0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391};
  uint32_t n = first + blockIdx.x * blockDim.x + threadIdx.x, m[16] = {};
#pragma unroll
  for (int i = 0; i < 2; i++) {
    uint32_t word = 0;
#pragma unroll
    for (int j = 0; j < 4; j++) { word |= ('a' + n % 26) << j * 8; n /= 26; }
    m[i] = word;
  }
  m[2] = 0x80, m[14] = 64;
  uint32_t a = 0x67452301, b = 0xefcdab89, c = 0x98badcfe, d = 0x10325476;
#pragma unroll
  for (int i = 0; i < 64; i++) {
    uint32_t f = i < 16 ? (b & c) | (~b & d) : i < 32 ? (d & b) | (~d & c) : i < 48 ? b ^ c ^ d : c ^ (b | ~d);
    int g = i < 16 ? i : i < 32 ? (5 * i + 1) % 16 : i < 48 ? (3 * i + 5) % 16 : 7 * i % 16;
    f += a + k[i] + m[g];
    a = d, d = c, c = b, b += rol(f, shift[i / 16][i % 4]);
  }
  if (a + 0x67452301 == wanted.x && b + 0xefcdab89 == wanted.y && c + 0x98badcfe == wanted.z && d + 0x10325476 == wanted.w) {
    uint32_t at = atomicAdd(found, 1);
    if (at < 16) found[1 + at] = first + blockIdx.x * blockDim.x + threadIdx.x;
  }
}

extern "C" __global__ void siphash(uint64_t *out, const uint8_t *text, const int *start, uint64_t k0, uint64_t k1, int n) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= n) return;
  uint64_t v0 = k0 ^ 0x736f6d6570736575, v1 = k1 ^ 0x646f72616e646f6d, v2 = k0 ^ 0x6c7967656e657261, v3 = k1 ^ 0x7465646279746573;
  auto round = [&] {
    v0 += v1, v1 = ror(v1, 51) ^ v0, v0 = ror(v0, 32), v2 += v3, v3 = ror(v3, 48) ^ v2;
    v0 += v3, v3 = ror(v3, 43) ^ v0, v2 += v1, v1 = ror(v1, 47) ^ v2, v2 = ror(v2, 32);
  };
  int from = start[t], to = start[t + 1];
  uint64_t last = (uint64_t)(to - from) << 56;
  for (; from + 8 <= to; from += 8) {
    uint64_t m = 0;
#pragma unroll
    for (int i = 0; i < 8; i++) m |= (uint64_t)text[from + i] << 8 * i;
    v3 ^= m, round(), round(), v0 ^= m;
  }
  switch (to - from) {
    case 7: last |= (uint64_t)text[from + 6] << 48;
    case 6: last |= (uint64_t)text[from + 5] << 40;
    case 5: last |= (uint64_t)text[from + 4] << 32;
    case 4: last |= (uint64_t)text[from + 3] << 24;
    case 3: last |= (uint64_t)text[from + 2] << 16;
    case 2: last |= (uint64_t)text[from + 1] << 8;
    case 1: last |= text[from];
  }
  v3 ^= last, round(), round(), v0 ^= last, v2 ^= 0xff, round(), round(), round(), round();
  out[t] = v0 ^ v1 ^ v2 ^ v3;
}
