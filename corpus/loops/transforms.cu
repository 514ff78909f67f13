// FFT, DCT, Walsh, Haar, number-theoretic transforms.
#include <cstdint>

extern "C" __global__ void dft_direct(const float2 *x, float2 *y, int n) {
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k >= n) return;
    float re = 0.0f, im = 0.0f, step = -6.2831853f / (float)n;
    for (int j = 0; j < n; j++) {
        float s, c;
        __sincosf(step * (float)((j * k) % n), &s, &c);
        re += x[j].x * c - x[j].y * s;
        im += x[j].x * s + x[j].y * c;
    }
    y[k] = make_float2(re, im);
}

extern "C" __global__ void fft_radix2_shared(float2 *x, const float2 *root) {
    __shared__ float2 s[256];
    int t = threadIdx.x;
    s[__brev(2 * t) >> 24] = x[2 * t];
    s[__brev(2 * t + 1) >> 24] = x[2 * t + 1];
    __syncthreads();
    for (int half = 1; half < 256; half *= 2) {
        int k = t % half, at = (t / half) * 2 * half + k;
        float2 w = root[k * (128 / half)], a = s[at], b = s[at + half];
        float re = b.x * w.x - b.y * w.y, im = b.x * w.y + b.y * w.x;
        s[at] = make_float2(a.x + re, a.y + im);
        s[at + half] = make_float2(a.x - re, a.y - im);
        __syncthreads();
    }
    x[2 * t] = s[2 * t];
    x[2 * t + 1] = s[2 * t + 1];
}

extern "C" __global__ void dct8_rows(const float *in, const float *cosines, float *out, int rows) {
    for (int r = blockIdx.x * blockDim.x + threadIdx.x; r < rows; r += gridDim.x * blockDim.x) {
#pragma unroll 1
        for (int k = 0; k < 8; k++) {
            float s = 0.0f;
#pragma unroll
            for (int j = 0; j < 8; j++) s += in[r * 8 + j] * cosines[k * 8 + j];
            out[r * 8 + k] = s * (k == 0 ? 0.35355339f : 0.5f);
        }
    }
}

extern "C" __global__ void walsh_hadamard(int *x, int log2n) {
    extern __shared__ int walsh[];
    int n = 1 << log2n;
    for (int i = threadIdx.x; i < n; i += blockDim.x) walsh[i] = x[blockIdx.x * n + i];
    for (int h = 1; h < n; h <<= 1) {
        __syncthreads();
        for (int i = threadIdx.x; i < n / 2; i += blockDim.x) {
            int at = i / h * 2 * h + i % h;
            int a = walsh[at], b = walsh[at + h];
            walsh[at] = a + b;
            walsh[at + h] = a - b;
        }
    }
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) x[blockIdx.x * n + i] = walsh[i];
}

extern "C" __global__ void haar_wavelet_levels(float *x, float *work, int n) {
    float *row = x + (size_t)(blockIdx.x * blockDim.x + threadIdx.x) * n, *w = work + (size_t)(blockIdx.x * blockDim.x + threadIdx.x) * n;
    while (n > 1) {
        n /= 2;
        for (int i = 0; i < n; i++) {
            w[i] = (row[2 * i] + row[2 * i + 1]) * 0.70710678f;
            w[n + i] = (row[2 * i] - row[2 * i + 1]) * 0.70710678f;
        }
        for (int i = 0; i < 2 * n; i++) row[i] = w[i];
    }
}

extern "C" __global__ void ntt_butterflies(uint32_t *x, const uint32_t *root, int half, int n) {
    for (int t = blockIdx.x * blockDim.x + threadIdx.x; t < n / 2; t += gridDim.x * blockDim.x) {
        int k = t & (half - 1), at = 2 * (t - k) + k;
        uint32_t a = x[at], b = (uint32_t)((uint64_t)x[at + half] * root[k] % 998244353u);
        uint32_t s = a + b;
        x[at] = s >= 998244353u ? s - 998244353u : s;
        x[at + half] = a >= b ? a - b : a + 998244353u - b;
    }
}

extern "C" __global__ void goertzel(const float *x, float *power, int n, float coefficient) {
    const float *p = x + (size_t)(blockIdx.x * blockDim.x + threadIdx.x) * n;
    float s1 = 0.0f, s2 = 0.0f;
    for (int i = 0; i < n; ++i) {
        float s = p[i] + coefficient * s1 - s2;
        s2 = s1;
        s1 = s;
    }
    power[blockIdx.x * blockDim.x + threadIdx.x] = s1 * s1 + s2 * s2 - coefficient * s1 * s2;
}
