// Sums over a whole array by a grid of threads: grid-stride loops of several types, with atomics at the end.
#include <cstdint>

extern "C" __global__ void sum_grid_stride_f32(const float *x, float *out, int n) {
    float s = 0.0f;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) s += x[i];
    atomicAdd(out, s);
}

extern "C" __global__ void sum_grid_stride_u64(const uint64_t *x, unsigned long long *out, size_t n) {
    unsigned long long s = 0;
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) s += x[i];
    atomicAdd(out, s);
}

extern "C" __global__ void max_grid_stride_s32(const int *x, int *out, unsigned n) {
    int best = INT32_MIN;
    unsigned stride = gridDim.x * blockDim.x;
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) best = max(best, x[i]);
    atomicMax(out, best);
}

extern "C" __global__ void argmin_per_thread(const float *x, int *where, int n, int chunk) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int begin = t * chunk, end = min(begin + chunk, n);
    float best = INFINITY;
    int at = -1;
#pragma unroll 1
    for (int i = begin; i < end; i++) {
        float v = x[i];
        if (v < best) {
            best = v;
            at = i;
        }
    }
    where[t] = at;
}

extern "C" __global__ void mean_and_variance_welford(const float *x, float *mean, float *variance, int rows, int columns) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    float m = 0.0f, m2 = 0.0f;
    for (int c = 0; c < columns; c++) {
        float v = x[(size_t)row * columns + c];
        float d = v - m;
        m += d / (float)(c + 1);
        m2 += d * (v - m);
    }
    mean[row] = m;
    variance[row] = columns > 1 ? m2 / (float)(columns - 1) : 0.0f;
}

extern "C" __global__ void kahan_sum_f32(const float *x, float *out, int n) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    float s = 0.0f, c = 0.0f;
    for (int i = t; i < n; i += 1024) {
        float y = __fsub_rn(x[i], c);
        float u = __fadd_rn(s, y);
        c = __fsub_rn(__fsub_rn(u, s), y);
        s = u;
    }
    out[t] = s;
}
