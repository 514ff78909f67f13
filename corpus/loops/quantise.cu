// Quantisation and packing.
#include <cuda_fp16.h>
#include <cstdint>

extern "C" __global__ void quantise_rows_s8(const float *x, int8_t *q, float *scale, int n) {
    const float *in = x + (size_t)blockIdx.x * n;
    __shared__ float top[64];
    float m = 0.0f;
    for (int i = threadIdx.x; i < n; i += 64) m = fmaxf(m, fabsf(in[i]));
    top[threadIdx.x] = m;
    __syncthreads();
    for (int i = 0; i < 64; i++) m = fmaxf(m, top[i]);
    float s = m / 127.0f;
    if (threadIdx.x == 0) scale[blockIdx.x] = s;
    for (int i = threadIdx.x; i < n; i += 64) q[(size_t)blockIdx.x * n + i] = (int8_t)__float2int_rn(in[i] / s);
}

extern "C" __global__ void dequantise_nibbles(const uint8_t *q, const half *scale, float *out, int blocks) {
    for (int b = blockIdx.x * blockDim.x + threadIdx.x; b < blocks; b += gridDim.x * blockDim.x) {
        float s = __half2float(scale[b]);
        for (int i = 0; i < 16; i++) {
            int v = q[b * 16 + i];
            out[b * 32 + i] = s * (float)((v & 15) - 8);
            out[b * 32 + 16 + i] = s * (float)((v >> 4) - 8);
        }
    }
}

extern "C" __global__ void dot_q8_dp4a(const int *a, const int *b, const float *sa, const float *sb, float *out, int groups) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    float s = 0.0f;
    for (int g = 0; g < groups; g++) {
        int d = 0;
#pragma unroll
        for (int k = 0; k < 8; k++) d = __dp4a(a[(t * groups + g) * 8 + k], b[g * 8 + k], d);
        s += (float)d * sa[t * groups + g] * sb[g];
    }
    out[t] = s;
}

extern "C" __global__ void pack_signs(const float *x, uint32_t *bits, int words) {
    int w = blockIdx.x * blockDim.x + threadIdx.x;
    if (w >= words) return;
    uint32_t v = 0;
#pragma unroll 8
    for (int i = 0; i < 32; i++) v |= (x[w * 32 + i] < 0.0f ? 1u : 0u) << i;
    bits[w] = v;
}

extern "C" __global__ void float_to_half_saturating(const float *x, half *y, long n) {
    for (long i = blockIdx.x * (long)blockDim.x + threadIdx.x; i < n; i += (long)gridDim.x * blockDim.x)
        y[i] = __float2half_rn(fminf(fmaxf(x[i], -65504.0f), 65504.0f));
}

extern "C" __global__ void nearest_codeword(const float2 *x, const float2 *book, int words, uint8_t *code, int n) {
    extern __shared__ float2 words_here[];
    for (int i = threadIdx.x; i < words; i += blockDim.x) words_here[i] = book[i];
    __syncthreads();
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n) return;
    float best = INFINITY;
    unsigned at = 0;
    for (unsigned w = 0; w < (unsigned)words; w++) {
        float dx = x[t].x - words_here[w].x, dy = x[t].y - words_here[w].y, d = dx * dx + dy * dy;
        if (d < best) best = d, at = w;
    }
    code[t] = at;
}

extern "C" __global__ void unpack_10_bit(const uint32_t *packed, uint16_t *out, int values) {
    int t = threadIdx.x + blockIdx.x * blockDim.x;
    for (int i = t; i < values; i += gridDim.x * blockDim.x) {
        unsigned bit = i * 10u, word = bit >> 5, shift = bit & 31;
        uint64_t v = packed[word] | (uint64_t)packed[word + 1] << 32;
        out[i] = v >> shift & 1023;
    }
}
