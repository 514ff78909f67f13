// Statistics of rows and tables.
#include <cstdint>

extern "C" __global__ void covariance_pairs(const float *x, const float *mean, float *c, int n, int variables) {
    int a = blockIdx.x, b = threadIdx.x;
    if (b > a) return;
    float s = 0.0f;
    for (int i = 0; i < n; i++) s += (x[i * variables + a] - mean[a]) * (x[i * variables + b] - mean[b]);
    c[a * variables + b] = c[b * variables + a] = s / (float)(n - 1);
}

extern "C" __global__ void min_max_both(const double *x, double2 *out, int n) {
    double low = x[threadIdx.x], high = low;
    for (int i = threadIdx.x + blockDim.x; i < n; i += blockDim.x) {
        double v = x[i];
        low = v < low ? v : low;
        high = v > high ? v : high;
    }
    out[threadIdx.x] = make_double2(low, high);
}

extern "C" __global__ void rank_of_each(const float *x, int *rank, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float v = x[i];
    int r = 0;
    for (int j = 0; j < n; j++) r += x[j] < v || (x[j] == v && j < i);
    rank[i] = r;
}

extern "C" __global__ void quantile_by_counting(const uint16_t *x, uint16_t *q, int n, int wanted) {
    const uint16_t *p = x + (size_t)blockIdx.x * n;
    if (threadIdx.x) return;
    unsigned low = 0, high = 65535;
    while (low < high) {
        unsigned m = (low + high) / 2;
        int c = 0;
        for (int i = 0; i < n; i++) c += p[i] <= m;
        if (c > wanted) high = m;
        else low = m + 1;
    }
    q[blockIdx.x] = low;
}

extern "C" __global__ void linear_regression(const float2 *p, float2 *line, int n) {
    float sx = 0, sy = 0, sxx = 0, sxy = 0;
    for (int i = 0; i < n; i++) {
        float2 v = p[(size_t)threadIdx.x * n + i];
        sx += v.x, sy += v.y, sxx += v.x * v.x, sxy += v.x * v.y;
    }
    float m = ((float)n * sxy - sx * sy) / ((float)n * sxx - sx * sx);
    line[threadIdx.x] = make_float2(m, (sy - m * sx) / (float)n);
}

extern "C" __global__ void entropy_of_counts(const int *count, float *entropy, int bins) {
    const int *c = count + (size_t)threadIdx.x * bins;
    int total = 0;
    for (int b = 0; b < bins; b++) total += c[b];
    float h = 0.0f;
    for (int b = 0; b < bins; b++) {
        if (c[b] == 0) continue;
        float p = (float)c[b] / (float)total;
        h -= p * __log2f(p);
    }
    entropy[threadIdx.x] = h;
}

extern "C" __global__ void permutation_test(const float *x, const uint32_t *signs, int *exceed, int n, float observed) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    float s = 0.0f;
    for (int w = 0; w * 32 < n; w++) {
        uint32_t m = signs[t * ((n + 31) / 32) + w];
        for (int b = 0; b < 32 && w * 32 + b < n; b++, m >>= 1) s += m & 1 ? x[w * 32 + b] : -x[w * 32 + b];
    }
    if (fabsf(s) >= observed) atomicAdd(exceed, 1);
}

extern "C" __global__ void distinct_in_sorted(const int64_t *x, unsigned *distinct, int n) {
    const int64_t *p = x + (size_t)threadIdx.x * n;
    unsigned d = n > 0;
    for (int i = 1; i < n; i++) d += p[i] != p[i - 1];
    distinct[threadIdx.x] = d;
}
