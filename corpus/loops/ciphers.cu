// Ciphers by rounds.
#include <cstdint>

extern "C" __global__ void xtea_encrypt(uint2 *block, const uint32_t *key, int n, int rounds) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n) return;
    uint32_t a = block[t].x, b = block[t].y, sum = 0;
    for (int r = 0; r < rounds; r++) {
        a += ((b << 4 ^ b >> 5) + b) ^ (sum + key[sum & 3]);
        sum += 0x9e3779b9u;
        b += ((a << 4 ^ a >> 5) + a) ^ (sum + key[sum >> 11 & 3]);
    }
    block[t] = make_uint2(a, b);
}

extern "C" __global__ void xtea_decrypt_32(uint2 *block, uint4 key) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    uint32_t k[4] = {key.x, key.y, key.z, key.w};
    uint32_t a = block[t].x, b = block[t].y, sum = 0x9e3779b9u * 32u;
    while (sum != 0) {
        b -= ((a << 4 ^ a >> 5) + a) ^ (sum + k[sum >> 11 & 3]);
        sum -= 0x9e3779b9u;
        a -= ((b << 4 ^ b >> 5) + b) ^ (sum + k[sum & 3]);
    }
    block[t] = make_uint2(a, b);
}

__device__ __forceinline__ void quarter(uint32_t &a, uint32_t &b, uint32_t &c, uint32_t &d) {
    a += b, d ^= a, d = d << 16 | d >> 16;
    c += d, b ^= c, b = b << 12 | b >> 20;
    a += b, d ^= a, d = d << 8 | d >> 24;
    c += d, b ^= c, b = b << 7 | b >> 25;
}

extern "C" __global__ void chacha_double_rounds(const uint32_t *in, uint32_t *out, int doubles) {
    uint32_t s[16];
    int t = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll
    for (int i = 0; i < 16; i++) s[i] = in[i];
    s[12] += t;
    uint32_t c = s[12];
    for (int r = 0; r < doubles; r++) {
        quarter(s[0], s[4], s[8], s[12]);
        quarter(s[1], s[5], s[9], s[13]);
        quarter(s[2], s[6], s[10], s[14]);
        quarter(s[3], s[7], s[11], s[15]);
        quarter(s[0], s[5], s[10], s[15]);
        quarter(s[1], s[6], s[11], s[12]);
        quarter(s[2], s[7], s[8], s[13]);
        quarter(s[3], s[4], s[9], s[14]);
    }
#pragma unroll
    for (int i = 0; i < 16; i++) out[t * 16 + i] = s[i] + (i == 12 ? c : in[i]);
}

extern "C" __global__ void rc4_keystream(const uint8_t *key, int key_length, uint8_t *out, int n) {
    __shared__ uint8_t box[256][32];
    int t = threadIdx.x;
    for (int i = 0; i < 256; i++) box[i][t] = i;
    uint8_t j = 0;
    for (int i = 0; i < 256; i++) {
        uint8_t v = box[i][t];
        j += v + key[t * key_length + i % key_length];
        box[i][t] = box[j][t];
        box[j][t] = v;
    }
    uint8_t i = 0;
    j = 0;
    for (int k = 0; k < n; k++) {
        uint8_t a = box[++i][t];
        j += a;
        uint8_t b = box[j][t];
        box[i][t] = b;
        box[j][t] = a;
        out[t * n + k] = box[(uint8_t)(a + b)][t];
    }
}

extern "C" __global__ void sbox_rounds_table(uint32_t *block, const uint32_t *table, const uint32_t *key, int rounds) {
    uint32_t *p = block + (size_t)(blockIdx.x * blockDim.x + threadIdx.x) * 4;
    uint32_t a = p[0], b = p[1], c = p[2], d = p[3];
    for (int r = 0; r < rounds; r++) {
        uint32_t e = table[a >> 24] ^ table[256 + (b >> 16 & 255)] ^ table[512 + (c >> 8 & 255)] ^ table[768 + (d & 255)] ^ key[4 * r];
        uint32_t f = table[b >> 24] ^ table[256 + (c >> 16 & 255)] ^ table[512 + (d >> 8 & 255)] ^ table[768 + (a & 255)] ^ key[4 * r + 1];
        uint32_t g = table[c >> 24] ^ table[256 + (d >> 16 & 255)] ^ table[512 + (a >> 8 & 255)] ^ table[768 + (b & 255)] ^ key[4 * r + 2];
        d = table[d >> 24] ^ table[256 + (a >> 16 & 255)] ^ table[512 + (b >> 8 & 255)] ^ table[768 + (c & 255)] ^ key[4 * r + 3];
        a = e, b = f, c = g;
    }
    p[0] = a, p[1] = b, p[2] = c, p[3] = d;
}

extern "C" __global__ void feistel_permute(uint32_t *x, int n, uint32_t key, int bits) {
    uint32_t half_mask = (1u << bits) - 1;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        uint32_t v = i;
        do {
            uint32_t l = v >> bits, r = v & half_mask;
            for (int round = 0; round < 4; round++) {
                uint32_t f = ((r * 0x9e3779b1u) ^ (key + round)) >> 7 & half_mask;
                uint32_t u = l ^ f;
                l = r;
                r = u;
            }
            v = l << bits | r;
        } while (v >= (uint32_t)n);
        x[i] = v;
    }
}

extern "C" __global__ void siphash_words(const uint64_t *in, uint64_t *out, int words, uint64_t k0, uint64_t k1) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    uint64_t a = k0 ^ 0x736f6d6570736575ull, b = k1 ^ 0x646f72616e646f6dull, c = k0 ^ 0x6c7967656e657261ull, d = k1 ^ 0x7465646279746573ull;
    for (int i = 0; i <= words; i++) {
        uint64_t m = i < words ? in[(size_t)t * words + i] : (uint64_t)words << 59;
        d ^= m;
        for (int r = 0; r < 2; r++) {
            a += b, b = (b << 13 | b >> 51) ^ a, a = a << 32 | a >> 32;
            c += d, d = (d << 16 | d >> 48) ^ c;
            a += d, d = (d << 21 | d >> 43) ^ a;
            c += b, b = (b << 17 | b >> 47) ^ c, c = c << 32 | c >> 32;
        }
        a ^= m;
    }
    out[t] = a ^ b ^ c ^ d;
}
