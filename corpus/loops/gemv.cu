// Matrix times vector, outer products, dot products.
#include <cuda_fp16.h>

extern "C" __global__ void gemv_row_thread(const float *a, const float *x, float *y, int m, int n) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < m) {
        float s = 0.0f;
        for (int j = 0; j < n; j++) s += a[row * n + j] * x[j];
        y[row] = s;
    }
}

extern "C" __global__ void gemv_column_major(const double *a, const double *x, double *y, int m, int n, double alpha, double beta) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= m) return;
    double s = 0.0;
    const double *p = a + row;
    for (int j = 0; j < n; j++, p += m) s += *p * x[j];
    y[row] = alpha * s + beta * y[row];
}

extern "C" __global__ void gemv_warp_row(const float *a, const float *x, float *y, int m, int n) {
    int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (warp >= m) return;
    float s = 0.0f;
    for (int j = lane; j < n; j += 32) s += a[(size_t)warp * n + j] * x[j];
#pragma unroll
    for (int d = 16; d > 0; d >>= 1) s += __shfl_xor_sync(~0u, s, d);
    if (lane == 0) y[warp] = s;
}

extern "C" __global__ void gemv_vector_loads(const float4 *a, const float4 *x, float *y, int quads) {
    const float4 *row = a + (size_t)blockIdx.x * blockDim.x * quads + (size_t)threadIdx.x * quads;
    float s = 0.0f;
    for (int j = 0; j < quads; j++) {
        float4 u = row[j], v = x[j];
        s += u.x * v.x + u.y * v.y + u.z * v.z + u.w * v.w;
    }
    y[blockIdx.x * blockDim.x + threadIdx.x] = s;
}

extern "C" __global__ void gemv_half2(const half2 *a, const half2 *x, float *y, int pairs) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    float s = 0.0f;
#pragma unroll 8
    for (int j = 0; j < pairs; j++) {
        float2 p = __half22float2(__hmul2(a[row * pairs + j], x[j]));
        s += p.x + p.y;
    }
    y[row] = s;
}

extern "C" __global__ void rank_one_update(float *a, const float *x, const float *y, int m, int n, float alpha) {
    for (int i = blockIdx.y * blockDim.y + threadIdx.y; i < m; i += gridDim.y * blockDim.y) {
        float xi = alpha * x[i];
        for (int j = blockIdx.x * blockDim.x + threadIdx.x; j < n; j += gridDim.x * blockDim.x) a[i * n + j] += xi * y[j];
    }
}
