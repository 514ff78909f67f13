// Hashes and checksums.
#include <cstdint>

extern "C" __global__ void fnv1a_32(const uint8_t *data, const int *start, uint32_t *hash, int n) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n) return;
    uint32_t h = 2166136261u;
    for (int i = start[t]; i < start[t + 1]; i++) h = (h ^ data[i]) * 16777619u;
    hash[t] = h;
}

extern "C" __global__ void fnv1a_64_fixed(const uint8_t *data, uint64_t *hash) {
    const uint8_t *p = data + (size_t)(blockIdx.x * blockDim.x + threadIdx.x) * 24;
    uint64_t h = 14695981039346656037ull;
#pragma unroll
    for (int i = 0; i < 24; i++) h = (h ^ p[i]) * 1099511628211ull;
    hash[blockIdx.x * blockDim.x + threadIdx.x] = h;
}

__device__ __forceinline__ uint32_t rotl(uint32_t x, int r) { return x << r | x >> (32 - r); }

extern "C" __global__ void murmur3_words(const uint32_t *key, uint32_t *hash, int words, uint32_t seed) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    uint32_t h = seed;
    for (int i = 0; i < words; i++) {
        uint32_t k = key[t * words + i] * 0xcc9e2d51u;
        k = rotl(k, 15) * 0x1b873593u;
        h = rotl(h ^ k, 13) * 5u + 0xe6546b64u;
    }
    h ^= words * 4;
    h = (h ^ h >> 16) * 0x85ebca6bu;
    h = (h ^ h >> 13) * 0xc2b2ae35u;
    hash[t] = h ^ h >> 16;
}

extern "C" __global__ void crc32_bitwise(const uint8_t *data, uint32_t *crc, int length) {
    const uint8_t *p = data + (size_t)(blockIdx.x * blockDim.x + threadIdx.x) * length;
    uint32_t c = ~0u;
    for (int i = 0; i < length; i++) {
        c ^= p[i];
        for (int k = 0; k < 8; k++) c = c & 1 ? c >> 1 ^ 0xedb88320u : c >> 1;
    }
    crc[blockIdx.x * blockDim.x + threadIdx.x] = ~c;
}

extern "C" __global__ void crc32_table(const uint8_t *data, const uint32_t *table, uint32_t *crc, int length) {
    __shared__ uint32_t s[256];
    for (int i = threadIdx.x; i < 256; i += blockDim.x) s[i] = table[i];
    __syncthreads();
    const uint8_t *p = data + (size_t)(blockIdx.x * blockDim.x + threadIdx.x) * length;
    uint32_t c = 0xffffffffu;
    for (int i = 0; i < length; i++) c = c >> 8 ^ s[(c ^ p[i]) & 255];
    crc[blockIdx.x * blockDim.x + threadIdx.x] = ~c;
}

extern "C" __global__ void adler32(const uint8_t *data, uint32_t *sum, int length) {
    const uint8_t *p = data + (size_t)(blockIdx.x * blockDim.x + threadIdx.x) * length;
    uint32_t a = 1, b = 0;
    for (int i = 0; i < length; i++) {
        a = (a + p[i]) % 65521u;
        b = (b + a) % 65521u;
    }
    sum[blockIdx.x * blockDim.x + threadIdx.x] = b << 16 | a;
}

extern "C" __global__ void sha_like_rounds(const uint32_t *block, const uint32_t *k, uint32_t *state) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    uint32_t w[16];
#pragma unroll
    for (int i = 0; i < 16; i++) w[i] = block[t * 16 + i];
    uint32_t a = state[t * 4], b = state[t * 4 + 1], c = state[t * 4 + 2], d = state[t * 4 + 3];
#pragma unroll 1
    for (int r = 0; r < 4; r++) {
#pragma unroll
        for (int i = 0; i < 16; i++) {
            uint32_t f = (b & c) | (~b & d);
            uint32_t next = rotl(a, 5) + f + k[r] + w[i];
            a = d;
            d = c;
            c = rotl(b, 30);
            b = next;
            w[i] = rotl(w[i] ^ w[(i + 2) & 15] ^ w[(i + 8) & 15] ^ w[(i + 13) & 15], 1);
        }
    }
    state[t * 4] += a;
    state[t * 4 + 1] += b;
    state[t * 4 + 2] += c;
    state[t * 4 + 3] += d;
}
