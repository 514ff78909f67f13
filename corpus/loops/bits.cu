// Bits and words.
#include <cstdint>

extern "C" __global__ void popcount_words(const uint32_t *x, unsigned *count, int words) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned c = 0;
    for (int i = 0; i < words; i++) c += __popc(x[t * words + i]);
    count[t] = c;
}

extern "C" __global__ void popcount_by_clearing(const uint64_t *x, int *count, int n) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n) return;
    int c = 0;
    for (uint64_t v = x[t]; v; v &= v - 1) c++;
    count[t] = c;
}

extern "C" __global__ void positions_of_set_bits(const uint32_t *x, uint8_t *position) {
    int t = blockIdx.x * blockDim.x + threadIdx.x, k = 0;
    uint32_t v = x[t];
    while (v) {
        int b = __ffs(v) - 1;
        position[t * 32 + k++] = b;
        v ^= 1u << b;
    }
}

extern "C" __global__ void gcd_binary(const uint32_t *a, const uint32_t *b, uint32_t *g, int n) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n) return;
    uint32_t u = a[t], v = b[t];
    if (u && v) {
        int shift = __ffs(u | v) - 1;
        u >>= __ffs(u) - 1;
        do {
            v >>= __ffs(v) - 1;
            if (u > v) {
                uint32_t w = u;
                u = v;
                v = w;
            }
            v -= u;
        } while (v);
        u <<= shift;
    } else {
        u |= v;
    }
    g[t] = u;
}

extern "C" __global__ void power_modulo(const uint32_t *base, uint32_t exponent, uint32_t modulus, uint32_t *out) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    uint64_t r = 1, b = base[t] % modulus;
    while (exponent) {
        if (exponent & 1) r = r * b % modulus;
        b = b * b % modulus;
        exponent >>= 1;
    }
    out[t] = (uint32_t)r;
}

extern "C" __global__ void gray_code_walk(const float *w, float *best, int bits) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    float s = 0.0f, top = 0.0f;
    uint32_t code = 0;
    for (uint32_t i = 1; i < 1u << bits; i++) {
        int flip = __ffs(i) - 1;
        code ^= 1u << flip;
        s += code >> flip & 1 ? w[t * bits + flip] : -w[t * bits + flip];
        top = fmaxf(top, s);
    }
    best[t] = top;
}

extern "C" __global__ void morton_interleave_loop(const ushort2 *xy, uint32_t *z) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    uint32_t x = xy[t].x, y = xy[t].y, m = 0;
#pragma unroll 4
    for (int b = 0; b < 16; b++) m |= (x >> b & 1) << 2 * b | (y >> b & 1) << (2 * b + 1);
    z[t] = m;
}

extern "C" __global__ void bit_matrix_transpose_32(uint32_t *m) {
    uint32_t *a = m + (size_t)(blockIdx.x * blockDim.x + threadIdx.x) * 32, mask = 0x0000ffffu;
    for (int j = 16; j != 0; j >>= 1, mask ^= mask << j)
        for (int k = 0; k < 32; k = (k + j + 1) & ~j) {
            uint32_t v = (a[k] ^ a[k + j] >> j) & mask;
            a[k] ^= v;
            a[k + j] ^= v << j;
        }
}
