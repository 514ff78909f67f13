// Windows that move over series.
#include <cstdint>

extern "C" __global__ void moving_average_running(const float *x, float *y, int n, int w) {
    const float *in = x + (size_t)threadIdx.x * n;
    float *out = y + (size_t)threadIdx.x * n, s = 0.0f;
    for (int i = 0; i < n; i++) {
        s += in[i];
        if (i >= w) s -= in[i - w];
        out[i] = s / (float)(i < w ? i + 1 : w);
    }
}

extern "C" __global__ void moving_maximum_naive(const int *x, int *y, int n, int w) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i + w <= n; i += gridDim.x * blockDim.x) {
        int m = x[i];
        for (int k = 1; k < w; k++) m = max(m, x[i + k]);
        y[i] = m;
    }
}

extern "C" __global__ void exponential_average(const double *x, double *y, int series, int n, double a) {
    int s = blockIdx.x * blockDim.x + threadIdx.x;
    if (s >= series) return;
    double v = x[s];
    for (int i = 0; i < n; i++) {
        v += a * (x[(size_t)i * series + s] - v);
        y[(size_t)i * series + s] = v;
    }
}

extern "C" __global__ void fir_history_registers(const float *x, const float *taps, float *y, int n) {
    const float *in = x + (size_t)(blockIdx.x * blockDim.x + threadIdx.x) * n;
    float h[4] = {0, 0, 0, 0};
    float a = taps[0], b = taps[1], c = taps[2], d = taps[3];
    for (int i = 0; i < n; i++) {
        h[3] = h[2], h[2] = h[1], h[1] = h[0], h[0] = in[i];
        y[(size_t)(blockIdx.x * blockDim.x + threadIdx.x) * n + i] = a * h[0] + b * h[1] + c * h[2] + d * h[3];
    }
}

extern "C" __global__ void iir_biquad(float *x, int n, float b0, float b1, float b2, float a1, float a2) {
    float *p = x + (size_t)(blockIdx.x * blockDim.x + threadIdx.x) * n, z1 = 0.0f, z2 = 0.0f;
#pragma unroll 2
    for (int i = 0; i < n; i++) {
        float in = p[i], out = b0 * in + z1;
        z1 = b1 * in - a1 * out + z2;
        z2 = b2 * in - a2 * out;
        p[i] = out;
    }
}

extern "C" __global__ void autocorrelation_lags(const float *x, float *r, int n, int lags) {
    for (int lag = blockIdx.x * blockDim.x + threadIdx.x; lag < lags; lag += blockDim.x * gridDim.x) {
        float s = 0.0f;
        for (int i = 0; i < n - lag; i++) s += x[i] * x[i + lag];
        r[lag] = s;
    }
}

extern "C" __global__ void time_warp_distance(const float *a, const float *b, float *row, float *out, int n) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    float *r = row + (size_t)t * (n + 1);
    for (int j = 1; j <= n; j++) r[j] = 1e30f;
    r[0] = 0.0f;
    for (int i = 0; i < n; i++) {
        float corner = r[0];
        r[0] = 1e30f;
        for (int j = 1; j <= n; j++) {
            float up = r[j];
            r[j] = fabsf(a[t * n + i] - b[t * n + j - 1]) + fminf(corner, fminf(up, r[j - 1]));
            corner = up;
        }
    }
    out[t] = r[n];
}

extern "C" __global__ void peaks_above_neighbours(const short *x, int *peak, int *count, int n, int threshold) {
    int t = threadIdx.x, found = 0;
    for (int i = t + 1; i < n - 1; i += blockDim.x) {
        short v = x[i];
        if (v <= threshold) continue;
        if (v > x[i - 1] && v >= x[i + 1]) {
            peak[t * 64 + found] = i;
            if (++found == 64) break;
        }
    }
    count[t] = found;
}
