// The same shapes under different pragmas, with bodies of different kinds.
#include <cuda_fp16.h>
#include <cstdint>

extern "C" __global__ void axpy_unroll_none(const float *x, float *y, float a, int n) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll 1
    for (int i = 0; i < n; i++) y[t * n + i] = a * x[t * n + i] + y[t * n + i];
}

extern "C" __global__ void scale_and_clamp_unroll_2(int *x, int low, int high, int n) {
#pragma unroll 2
    for (int i = threadIdx.x; i < n; i += 128) x[i] = min(max(x[i] * 3, low), high);
}

extern "C" __global__ void dot_double_unroll_4(const double *__restrict__ x, const double *__restrict__ y, double *out, int n) {
    double s = 0.0;
#pragma unroll 4
    for (int i = 0; i < n; i++) s += x[i * 32 + threadIdx.x] * y[i];
    out[threadIdx.x] = s;
}

extern "C" __global__ void xor_bytes_unroll_8(const uint8_t *x, uint8_t *y, int n, uint8_t key) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll 8
    for (int i = 0; i < n; i++) y[t * n + i] = x[t * n + i] ^ key;
}

extern "C" __global__ void sum_64_full(const short *x, int *out) {
    int s = 0;
#pragma unroll
    for (int i = 0; i < 64; i++) s += x[threadIdx.x * 64 + i];
    out[threadIdx.x] = s;
}

extern "C" __global__ void constant_100_default(const float *x, float *out) {
    float s = 1.0f;
    for (int i = 0; i < 100; i++) s *= x[i];
    out[threadIdx.x] = s;
}

extern "C" __global__ void constant_1000_unroll_5(const uint32_t *x, uint32_t *out) {
    uint32_t s = threadIdx.x;
#pragma unroll 5
    for (int i = 0; i < 1000; i++) s = (s << 3 | s >> 29) + x[i];
    out[threadIdx.x] = s;
}

extern "C" __global__ void half_square_unroll_3(half *x, int n) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll 3
    for (int i = t; i < n; i += 4096) x[i] = __hmul(x[i], x[i]);
}

extern "C" __global__ void polynomial_inner_full(const float *x, const float *c, float *y, int n) {
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        float v = x[i], s = c[6];
#pragma unroll
        for (int k = 5; k >= 0; k--) s = fmaf(s, v, c[k]);
        y[i] = s;
    }
}

extern "C" __global__ void copy_quads_unroll_4(const int4 *x, int4 *y, int quads) {
    int t = blockIdx.x * blockDim.x + threadIdx.x, stride = gridDim.x * blockDim.x;
#pragma unroll 4
    for (int i = t; i < quads; i += stride) y[i] = x[i];
}

extern "C" __global__ void hand_unrolled_by_4(const float *x, float *out, int n) {
    float a = 0, b = 0, c = 0, d = 0;
    int i = 0;
    for (; i + 3 < n; i += 4) {
        a += x[i];
        b += x[i + 1];
        c += x[i + 2];
        d += x[i + 3];
    }
    for (; i < n; i++) a += x[i];
    out[threadIdx.x] = (a + b) + (c + d);
}

extern "C" __global__ void known_multiple_of_4(const float *x, float *out, int quarters) {
    float s = 0.0f;
    int n = quarters * 4;
    for (int i = 0; i < n; i++) s = fmaxf(s, x[i * blockDim.x + threadIdx.x]);
    out[threadIdx.x] = s;
}
