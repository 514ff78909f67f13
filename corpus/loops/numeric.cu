// Numerical methods by iteration.
#include <cstdint>

extern "C" __global__ void newton_square_root(const float *x, float *y, int n, int steps) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float v = x[i], r = v > 1.0f ? v : 1.0f;
    for (int k = 0; k < steps; k++) r = 0.5f * (r + v / r);
    y[i] = r;
}

extern "C" __global__ void newton_until_close(const double *c, double *root, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    double x = 1.0, step;
    int rounds = 0;
    do {
        step = (x * x * x - c[i]) / (3.0 * x * x);
        x -= step;
    } while (fabs(step) > 1e-12 && ++rounds < 100);
    root[i] = x;
}

extern "C" __global__ void horner_degree(const float *coefficient, int degree, const float *x, float *y, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float s = coefficient[degree];
        for (int k = degree - 1; k >= 0; k--) s = s * x[i] + coefficient[k];
        y[i] = s;
    }
}

extern "C" __global__ void simpson_intervals(float *area, float a, float b, int intervals) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    float h = (b - a) / (float)intervals, s = 0.0f, p = (float)t;
    for (int i = 0; i <= intervals; i++) {
        float x = a + h * (float)i, f = x * x * p + 1.0f / (1.0f + x * x);
        s += (i == 0 || i == intervals ? 1.0f : i % 2 ? 4.0f : 2.0f) * f;
    }
    area[t] = s * h / 3.0f;
}

extern "C" __global__ void continued_fraction_digits(const uint64_t *numerator, const uint64_t *denominator, uint64_t *digit, int most) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    uint64_t a = numerator[t], b = denominator[t];
    int k = 0;
    while (b != 0 && k < most) {
        uint64_t q = a / b, r = a - q * b;
        digit[(size_t)t * most + k++] = q;
        a = b;
        b = r;
    }
}

extern "C" __global__ void bisection_fixed(const float *target, float *x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float low = 0.0f, high = 10.0f;
#pragma unroll 1
    for (int k = 0; k < 40; k++) {
        float m = 0.5f * (low + high);
        if (m * m * m + m > target[i]) high = m;
        else low = m;
    }
    x[i] = low;
}

extern "C" __global__ void taylor_exponential(const double *x, double *y, int terms) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    double term = 1.0, s = 1.0, v = x[i];
    for (int k = 1; k < terms; k++) {
        term *= v / (double)k;
        s += term;
    }
    y[i] = s;
}

extern "C" __global__ void mandelbrot_escape(int *count, int w, int h, float x0, float y0, float scale, int most) {
    int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
    if (px >= w || py >= h) return;
    float cx = x0 + (float)px * scale, cy = y0 + (float)py * scale, x = 0, y = 0;
    int k = 0;
    while (k < most && x * x + y * y <= 4.0f) {
        float u = x * x - y * y + cx;
        y = 2.0f * x * y + cy;
        x = u;
        k++;
    }
    count[py * w + px] = k;
}

extern "C" __global__ void collatz_longest(const uint64_t *from, unsigned *length, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    uint64_t v = from[i];
    unsigned k = 0;
    while (v > 1) {
        v = v & 1 ? 3 * v + 1 : v / 2;
        if (++k == 10000) break;
    }
    length[i] = k;
}
