// Products of matrices without tiles.
#include <cuda_fp16.h>
#include <cstdint>

extern "C" __global__ void gemm_naive_f32(const float *a, const float *b, float *c, int m, int n, int k) {
    int row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= m || column >= n) return;
    float s = 0.0f;
    for (int i = 0; i < k; i++) s += a[row * k + i] * b[i * n + column];
    c[row * n + column] = s;
}

extern "C" __global__ void gemm_transposed_b_f64(const double *a, const double *b, double *c, unsigned n, unsigned k) {
    unsigned row = blockIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
    if (column >= n) return;
    double s = 0.0;
#pragma unroll 2
    for (unsigned i = 0; i < k; i++) s = fma(a[row * k + i], b[column * k + i], s);
    c[row * n + column] += s;
}

extern "C" __global__ void gemm_half_float_accumulate(const half *a, const half *b, float *c, int n, int k) {
    int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
    float s = 0.0f;
#pragma unroll 4
    for (int i = 0; i < k; ++i) s += __half2float(a[row * k + i]) * __half2float(b[i * n + column]);
    c[row * n + column] = s;
}

extern "C" __global__ void gemm_s8_s32(const int8_t *a, const int8_t *b, int *c, int n, int k) {
    int row = blockIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
    int s = 0;
    for (int i = 0; i < k; i++) s += (int)a[row * k + i] * (int)b[column * k + i];
    c[row * n + column] = s;
}

extern "C" __global__ void gemm_batched_4x4(const float4 *a, const float4 *b, float4 *c, int batches) {
    for (int t = blockIdx.x * blockDim.x + threadIdx.x; t < batches; t += gridDim.x * blockDim.x) {
        float4 r0 = b[4 * t], r1 = b[4 * t + 1], r2 = b[4 * t + 2], r3 = b[4 * t + 3];
#pragma unroll
        for (int i = 0; i < 4; i++) {
            float4 v = a[4 * t + i], o;
            o.x = v.x * r0.x + v.y * r1.x + v.z * r2.x + v.w * r3.x;
            o.y = v.x * r0.y + v.y * r1.y + v.z * r2.y + v.w * r3.y;
            o.z = v.x * r0.z + v.y * r1.z + v.z * r2.z + v.w * r3.z;
            o.w = v.x * r0.w + v.y * r1.w + v.z * r2.w + v.w * r3.w;
            c[4 * t + i] = o;
        }
    }
}

extern "C" __global__ void syrk_lower(const float *a, float *c, int n, int k) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    for (int j = 0; j <= i; j++) {
        float s = 0.0f;
        for (int p = 0; p < k; p++) s += a[i * k + p] * a[j * k + p];
        c[i * n + j] = s;
    }
}

extern "C" __global__ void gemm_boolean_words(const uint32_t *a, const uint32_t *b, uint32_t *c, int words, int n) {
    int row = blockIdx.x, column = threadIdx.x;
    uint32_t any = 0;
    for (int w = 0; w < words && !any; w++) any = a[row * words + w] & b[column * words + w];
    c[row * n + column] = any != 0;
}
