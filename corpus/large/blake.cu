// BLAKE2b with its message in registers, and Keccak-f[1600].
#include <stdint.h>
__device__ uint64_t ror(uint64_t x, int n) { return x >> n | x << (64 - n); }

extern "C" __global__ void blake2b(uint64_t *digest, const uint64_t *message, uint64_t length) {
  constexpr uint8_t sigma[10][16] = {{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}, {14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3}, {11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4}, {7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8}, {9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13}, {2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9}, {12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11}, {13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10}, {6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5}, {10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0}};
  constexpr uint64_t iv[8] = {0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1, 0x510e527fade682d1, 0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179};
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  uint64_t m[16], v[16];
#pragma unroll
  for (int i = 0; i < 16; i++) m[i] = message[t * 16 + i];
#pragma unroll
  for (int i = 0; i < 8; i++) v[i] = iv[i] ^ (i == 0 ? 0x01010040 : 0), v[i + 8] = iv[i];
  v[12] ^= length, v[14] = ~v[14];
#pragma unroll
  for (int r = 0; r < 12; r++) {
    auto g = [&](int a, int b, int c, int d, int i) {
      v[a] += v[b] + m[sigma[r % 10][i]], v[d] = ror(v[d] ^ v[a], 32), v[c] += v[d], v[b] = ror(v[b] ^ v[c], 24);
      v[a] += v[b] + m[sigma[r % 10][i + 1]], v[d] = ror(v[d] ^ v[a], 16), v[c] += v[d], v[b] = ror(v[b] ^ v[c], 63);
    };
    g(0, 4, 8, 12, 0), g(1, 5, 9, 13, 2), g(2, 6, 10, 14, 4), g(3, 7, 11, 15, 6);
    g(0, 5, 10, 15, 8), g(1, 6, 11, 12, 10), g(2, 7, 8, 13, 12), g(3, 4, 9, 14, 14);
  }
#pragma unroll
  for (int i = 0; i < 8; i++) digest[t * 8 + i] = iv[i] ^ (i == 0 ? 0x01010040 : 0) ^ v[i] ^ v[i + 8];
}

extern "C" __global__ void keccak(uint64_t *state, const uint64_t *constants, int rounds) {
  constexpr int turn[24] = {1, 3, 6, 10, 15, 21, 28, 36, 45, 55, 2, 14, 27, 41, 56, 8, 25, 43, 62, 18, 39, 61, 20, 44}, lane[24] = {10, 7, 11, 17, 18, 3, 5, 16, 8, 21, 24, 4, 15, 23, 19, 13, 12, 2, 20, 14, 22, 9, 6, 1};
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  uint64_t s[25], c[5];
#pragma unroll
  for (int i = 0; i < 25; i++) s[i] = state[t * 25 + i];
#pragma unroll 2
  for (int r = 0; r < rounds; r++) {
#pragma unroll
    for (int i = 0; i < 5; i++) c[i] = s[i] ^ s[i + 5] ^ s[i + 10] ^ s[i + 15] ^ s[i + 20];
#pragma unroll
    for (int i = 0; i < 25; i++) s[i] ^= c[(i + 4) % 5] ^ ror(c[(i + 1) % 5], 63);
    uint64_t x = s[1];
#pragma unroll
    for (int i = 0; i < 24; i++) { uint64_t y = s[lane[i]]; s[lane[i]] = ror(x, 64 - turn[i]); x = y; }
#pragma unroll
    for (int j = 0; j < 25; j += 5) {
#pragma unroll
      for (int i = 0; i < 5; i++) c[i] = s[j + i];
#pragma unroll
      for (int i = 0; i < 5; i++) s[j + i] = c[i] ^ (~c[(i + 1) % 5] & c[(i + 2) % 5]);
    }
    s[0] ^= constants[r];
  }
#pragma unroll
  for (int i = 0; i < 25; i++) state[t * 25 + i] = s[i];
}
