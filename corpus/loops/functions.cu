// Loops in and around functions of the device, not inlined among them.
#include <cstdint>

__device__ __noinline__ int digits_of(unsigned v, unsigned base) {
    int n = 0;
    for (; v; v /= base) n++;
    return n;
}

extern "C" __global__ void calls_loop_once(const unsigned *x, int *y) { y[threadIdx.x] = digits_of(x[threadIdx.x], 10); }

extern "C" __global__ void loop_around_call(const unsigned *x, int *y, int n) {
    int s = 0;
    for (int i = 0; i < n; i++) s += digits_of(x[i], 2 + (threadIdx.x & 7));
    y[threadIdx.x] = s;
}

__device__ __noinline__ float step_of(float x, float a) { return x - (x * x - a) / (2.0f * x); }

extern "C" __global__ void newton_by_call(const float *a, float *r, int steps) {
    float x = 1.0f;
    for (int i = 0; i < steps; i++) x = step_of(x, a[threadIdx.x]);
    r[threadIdx.x] = x;
}

__device__ __noinline__ void swap_rows(float *a, float *b, int n) {
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        float v = a[i];
        a[i] = b[i];
        b[i] = v;
    }
}

extern "C" __global__ void reverse_rows_by_call(float *m, int rows, int n) {
    for (int r = 0; r < rows / 2; r++) swap_rows(m + r * n, m + (rows - 1 - r) * n, n);
}

__device__ unsigned ackermann_step(unsigned m, unsigned n) {
    // Ackermann's function with a stack of its own.
    unsigned stack[32];
    int top = 0;
    stack[top++] = m;
    while (top > 0) {
        m = stack[--top];
        if (m == 0) {
            n++;
        } else if (n == 0) {
            n = 1;
            stack[top++] = m - 1;
        } else {
            n--;
            stack[top++] = m - 1;
            if (top < 32) stack[top++] = m;
        }
    }
    return n;
}

extern "C" __global__ void ackermann_loop(unsigned *out) { out[threadIdx.x] = ackermann_step(threadIdx.x & 1, threadIdx.x >> 1); }

template <typename T, int N> __device__ T poly(const T *c, T x) {
    T s = c[N - 1];
#pragma unroll 1
    for (int i = N - 2; i >= 0; i--) s = s * x + c[i];
    return s;
}

extern "C" __global__ void template_polynomials(const float *c, const double *d, const float *x, double *y) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    y[t] = (double)poly<float, 7>(c, x[t]) + poly<double, 12>(d, (double)x[t]);
}
