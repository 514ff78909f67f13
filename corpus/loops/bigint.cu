// Integers of many words.
#include <cstdint>

extern "C" __global__ void big_add(const uint32_t *a, const uint32_t *b, uint32_t *c, int words, int n) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n) return;
    uint32_t carry = 0;
    for (int i = 0; i < words; i++) {
        uint64_t s = (uint64_t)a[i * n + t] + b[i * n + t] + carry;
        c[i * n + t] = (uint32_t)s;
        carry = s >> 32;
    }
    c[words * n + t] = carry;
}

extern "C" __global__ void big_subtract_64(const uint64_t *a, const uint64_t *b, uint64_t *c, int *borrow, int words) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    uint64_t under = 0;
    for (int i = t * words; i < (t + 1) * words; i++) {
        uint64_t x = a[i], y = b[i], d = x - y, e = d - under;
        under = (x < y) | (d < under);
        c[i] = e;
    }
    borrow[t] = (int)under;
}

extern "C" __global__ void big_times_word(uint32_t *a, uint32_t m, uint32_t *over, int words) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    uint64_t carry = 0;
    uint32_t *p = a + (size_t)t * words;
    for (int i = 0; i < words; i++) {
        carry += (uint64_t)p[i] * m;
        p[i] = (uint32_t)carry;
        carry >>= 32;
    }
    over[t] = (uint32_t)carry;
}

extern "C" __global__ void big_multiply_schoolbook(const uint32_t *a, const uint32_t *b, uint32_t *c, int words) {
    const uint32_t *x = a + (size_t)blockIdx.x * words, *y = b + (size_t)blockIdx.x * words;
    uint32_t *z = c + (size_t)blockIdx.x * 2 * words;
    if (threadIdx.x) return;
    for (int i = 0; i < 2 * words; i++) z[i] = 0;
    for (int i = 0; i < words; i++) {
        uint32_t carry = 0;
        for (int j = 0; j < words; j++) {
            uint64_t v = (uint64_t)x[i] * y[j] + z[i + j] + carry;
            z[i + j] = (uint32_t)v;
            carry = v >> 32;
        }
        z[i + words] = carry;
    }
}

extern "C" __global__ void big_compare(const uint32_t *a, const uint32_t *b, int *order, int words) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    const uint32_t *p = a + (size_t)t * words, *q = b + (size_t)t * words;
    int o = 0;
    for (int i = words - 1; i >= 0 && o == 0; i--) o = p[i] < q[i] ? -1 : p[i] > q[i];
    order[t] = o;
}

extern "C" __global__ void big_divide_by_word(uint32_t *a, uint32_t d, uint32_t *rest, int words) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    uint32_t *p = a + (size_t)t * words;
    uint64_t r = 0;
    for (int i = words; i-- > 0;) {
        r = r << 32 | p[i];
        p[i] = (uint32_t)(r / d);
        r %= d;
    }
    rest[t] = (uint32_t)r;
}

extern "C" __global__ void big_shift_left(uint32_t *a, int by, int words) {
    uint32_t *p = a + (size_t)(blockIdx.x * blockDim.x + threadIdx.x) * words;
#pragma unroll 2
    for (int i = words - 1; i > 0; i--) p[i] = __funnelshift_l(p[i - 1], p[i], by);
    p[0] <<= by & 31;
}

extern "C" __global__ void montgomery_reduce_8(const uint32_t *in, const uint32_t *modulus, uint32_t inverse, uint32_t *out) {
    uint32_t v[17];
    int t = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll
    for (int i = 0; i < 16; i++) v[i] = in[t * 16 + i];
    v[16] = 0;
    uint32_t top = 0;
#pragma unroll
    for (int i = 0; i < 8; i++) {
        uint32_t m = v[i] * inverse, carry = 0;
#pragma unroll
        for (int j = 0; j < 8; j++) {
            uint64_t s = (uint64_t)m * modulus[j] + v[i + j] + carry;
            v[i + j] = (uint32_t)s;
            carry = s >> 32;
        }
        uint64_t s = (uint64_t)v[i + 8] + carry + top;
        v[i + 8] = (uint32_t)s;
        top = s >> 32;
    }
    for (int i = 0; i < 8; i++) out[t * 8 + i] = v[8 + i];
}
