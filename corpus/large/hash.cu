// SHA-512 with all its rounds unrolled.
#include <stdint.h>
__device__ uint64_t ror(uint64_t x, int n) { return x >> n | x << (64 - n); }
__constant__ uint64_t K512[80];

extern "C" __global__ void sha512(uint64_t *digest, const uint64_t *message, int blocks) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  uint64_t h[8] = {0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1, 0x510e527fade682d1, 0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179};
  for (int b = 0; b < blocks; b++) {
    uint64_t w[16], v[8];
#pragma unroll
    for (int i = 0; i < 16; i++) {
      uint64_t x = message[(t * blocks + b) * 16 + i];
      w[i] = (uint64_t)__byte_perm((uint32_t)x, 0, 0x0123) << 32 | __byte_perm((uint32_t)(x >> 32), 0, 0x0123);
    }
#pragma unroll
    for (int i = 0; i < 8; i++) v[i] = h[i];
#pragma unroll
    for (int i = 0; i < 80; i++) {
      if (i >= 16) {
        uint64_t x = w[(i + 1) % 16], y = w[(i + 14) % 16];
        w[i % 16] += (ror(x, 1) ^ ror(x, 8) ^ x >> 7) + w[(i + 9) % 16] + (ror(y, 19) ^ ror(y, 61) ^ y >> 6);
      }
      uint64_t e = v[4], a = v[0];
      uint64_t t1 = v[7] + (ror(e, 14) ^ ror(e, 18) ^ ror(e, 41)) + ((e & v[5]) ^ (~e & v[6])) + K512[i] + w[i % 16];
      uint64_t t2 = (ror(a, 28) ^ ror(a, 34) ^ ror(a, 39)) + ((a & v[1]) ^ (a & v[2]) ^ (v[1] & v[2]));
#pragma unroll
      for (int j = 7; j > 0; j--) v[j] = v[j - 1];
      v[4] += t1, v[0] = t1 + t2;
    }
#pragma unroll
    for (int i = 0; i < 8; i++) h[i] += v[i];
  }
#pragma unroll
  for (int i = 0; i < 8; i++) digest[t * 8 + i] = h[i];
}
