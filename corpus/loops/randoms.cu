// Random numbers.
#include <cstdint>

extern "C" __global__ void lcg_fill(uint32_t *out, uint32_t seed, int per) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    uint32_t s = seed + t * 747796405u;
    for (int i = 0; i < per; i++) {
        s = s * 1664525u + 1013904223u;
        out[t * per + i] = s;
    }
}

extern "C" __global__ void xorshift64_skip(uint64_t *state, int steps) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    uint64_t x = state[t];
    while (steps-- > 0) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
    }
    state[t] = x;
}

extern "C" __global__ void pcg32_mean(const uint64_t *seed, float *mean, int draws) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    uint64_t s = seed[t];
    float sum = 0.0f;
    for (int i = 0; i < draws; i++) {
        uint32_t x = (uint32_t)(((s >> 18) ^ s) >> 27), r = s >> 59;
        s = s * 6364136223846793005ull + 1442695040888963407ull;
        uint32_t v = x >> r | x << ((32 - r) & 31);
        sum += (float)(v >> 8) * (1.0f / 16777216.0f);
    }
    mean[t] = sum / (float)draws;
}

extern "C" __global__ void philox4x32_rounds(uint4 *counter, uint2 key) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    uint4 c = counter[t];
    for (int r = 0; r < 10; r++) {
        uint32_t h0 = __umulhi(0xD2511F53u, c.x), l0 = 0xD2511F53u * c.x, h1 = __umulhi(0xCD9E8D57u, c.z), l1 = 0xCD9E8D57u * c.z;
        c = make_uint4(h1 ^ c.y ^ key.x, l1, h0 ^ c.w ^ key.y, l0);
        key.x += 0x9E3779B9u;
        key.y += 0xBB67AE85u;
    }
    counter[t] = c;
}

extern "C" __global__ void monte_carlo_pi(unsigned seed, unsigned *inside, int darts) {
    unsigned s = seed ^ (blockIdx.x * blockDim.x + threadIdx.x) * 2654435761u, hits = 0;
    for (int i = 0; i < darts; i++) {
        s ^= s << 13, s ^= s >> 17, s ^= s << 5;
        unsigned x = s >> 16, y = s & 0xffffu;
        if ((uint64_t)x * x + (uint64_t)y * y < 0x100000000ull) hits++;
    }
    atomicAdd(inside, hits);
}

extern "C" __global__ void shuffle_fisher_yates(int *deck, int n, uint32_t seed) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int *d = deck + (size_t)t * n;
    uint32_t s = seed + t;
    for (int i = n - 1; i > 0; i--) {
        s = s * 1103515245u + 12345u;
        int j = (s >> 8) % (i + 1);
        int v = d[i];
        d[i] = d[j];
        d[j] = v;
    }
}

extern "C" __global__ void lfsr_until_return(uint16_t *start, int *period) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    uint16_t first = start[t] | 1, s = first;
    int n = 0;
    do {
        uint16_t bit = s ^ s >> 2 ^ s >> 3 ^ s >> 5;
        s = s >> 1 | bit << 15;
        n++;
    } while (s != first && n < 65536);
    period[t] = n;
}
