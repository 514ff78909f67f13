// Ciphers and large numbers: AES-256 with tables in shared memory, ChaCha20, powers by Montgomery products of 256 bits.
#include <stdint.h>
__device__ uint32_t rol(uint32_t x, int n) { return __funnelshift_l(x, x, n); }

extern "C" __global__ void aes256_ctr(uint4 *data, const uint32_t *table, const uint32_t *key, uint4 counter, int n) {
  __shared__ uint32_t te[256];
  for (int i = threadIdx.x; i < 256; i += blockDim.x) te[i] = table[i];
  __syncthreads();
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= n) return;
  uint32_t s[4] = {counter.x ^ key[0], counter.y ^ key[1], counter.z ^ key[2], (counter.w + t) ^ key[3]}, u[4];
#pragma unroll
  for (int r = 1; r < 14; r++) {
#pragma unroll
    for (int i = 0; i < 4; i++)
      u[i] = te[s[i] & 255] ^ rol(te[s[(i + 1) % 4] >> 8 & 255], 8) ^ rol(te[s[(i + 2) % 4] >> 16 & 255], 16) ^ rol(te[s[(i + 3) % 4] >> 24], 24) ^ key[r * 4 + i];
#pragma unroll
    for (int i = 0; i < 4; i++) s[i] = u[i];
  }
#pragma unroll
  for (int i = 0; i < 4; i++)
    u[i] = ((te[s[i] & 255] >> 8 & 255) | (te[s[(i + 1) % 4] >> 8 & 255] & 0xff00) | (te[s[(i + 2) % 4] >> 16 & 255] << 8 & 0xff0000) | (te[s[(i + 3) % 4] >> 24] << 16 & 0xff000000)) ^ key[56 + i];
  uint4 v = data[t];
  data[t] = {v.x ^ u[0], v.y ^ u[1], v.z ^ u[2], v.w ^ u[3]};
}

extern "C" __global__ void chacha20(uint4 *data, const uint4 *key, uint32_t counter, uint3 nonce, int n) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= n) return;
  uint4 k0 = key[0], k1 = key[1];
  uint32_t in[16] = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574, k0.x, k0.y, k0.z, k0.w, k1.x, k1.y, k1.z, k1.w, counter + t, nonce.x, nonce.y, nonce.z}, s[16];
#pragma unroll
  for (int i = 0; i < 16; i++) s[i] = in[i];
  auto quarter = [&](int a, int b, int c, int d) {
    s[a] += s[b], s[d] = rol(s[d] ^ s[a], 16), s[c] += s[d], s[b] = rol(s[b] ^ s[c], 12);
    s[a] += s[b], s[d] = rol(s[d] ^ s[a], 8), s[c] += s[d], s[b] = rol(s[b] ^ s[c], 7);
  };
#pragma unroll
  for (int r = 0; r < 10; r++) {
    quarter(0, 4, 8, 12), quarter(1, 5, 9, 13), quarter(2, 6, 10, 14), quarter(3, 7, 11, 15);
    quarter(0, 5, 10, 15), quarter(1, 6, 11, 12), quarter(2, 7, 8, 13), quarter(3, 4, 9, 14);
  }
#pragma unroll
  for (int i = 0; i < 4; i++) {
    uint4 v = data[t * 4 + i];
    data[t * 4 + i] = {v.x ^ (s[4 * i] + in[4 * i]), v.y ^ (s[4 * i + 1] + in[4 * i + 1]), v.z ^ (s[4 * i + 2] + in[4 * i + 2]), v.w ^ (s[4 * i + 3] + in[4 * i + 3])};
  }
}

struct Number { uint32_t w[8]; };
__device__ Number montgomery(const Number &a, const Number &b, const Number &p, uint32_t inverse) {
  uint32_t t[10] = {};
#pragma unroll
  for (int i = 0; i < 8; i++) {
    uint64_t carry = 0;
#pragma unroll
    for (int j = 0; j < 8; j++) { carry += (uint64_t)a.w[j] * b.w[i] + t[j]; t[j] = (uint32_t)carry; carry >>= 32; }
    carry += t[8], t[8] = (uint32_t)carry, t[9] = (uint32_t)(carry >> 32);
    uint32_t m = t[0] * inverse;
    carry = (uint64_t)m * p.w[0] + t[0], carry >>= 32;
#pragma unroll
    for (int j = 1; j < 8; j++) { carry += (uint64_t)m * p.w[j] + t[j]; t[j - 1] = (uint32_t)carry; carry >>= 32; }
    carry += t[8], t[7] = (uint32_t)carry, t[8] = t[9] + (uint32_t)(carry >> 32);
  }
  Number r;
  uint64_t borrow = 0;
#pragma unroll
  for (int i = 0; i < 8; i++) { borrow = (uint64_t)t[i] - p.w[i] - (borrow >> 63); r.w[i] = (uint32_t)borrow; }
  bool keep = t[8] == 0 && borrow >> 63;
#pragma unroll
  for (int i = 0; i < 8; i++) r.w[i] = keep ? t[i] : r.w[i];
  return r;
}
extern "C" __global__ void power_mod(Number *out, const Number *base, Number exponent, Number p, Number one, uint32_t inverse) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  Number b = base[t], r = one;
  for (int i = 255; i >= 0; i--) {
    r = montgomery(r, r, p, inverse);
    if (exponent.w[i / 32] >> i % 32 & 1) r = montgomery(r, b, p, inverse);
  }
  out[t] = r;
}
