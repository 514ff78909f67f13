// Counters of all kinds: signed and not, wide and narrow, up and down, by steps, by pointers.
#include <cstdint>

extern "C" __global__ void counter_s64_step3(const double *x, double *out, int64_t n) {
    double s = 0.0;
    for (int64_t i = threadIdx.x; i < n; i += 3) s += x[i];
    out[threadIdx.x] = s;
}

extern "C" __global__ void counter_u8_wraps(const float *x, float *out, uint8_t from) {
    float s = 0.0f;
    uint8_t i = from;
    do {
        s += x[i];
        i += 5;
    } while (i != from);
    out[threadIdx.x] = s;
}

extern "C" __global__ void counter_s16_down(const int *x, int *out, short n) {
    int s = 0;
    for (short i = n; i >= 0; i -= 2) s ^= x[i] << (i & 7);
    out[threadIdx.x] = s;
}

extern "C" __global__ void counter_unsigned_to_zero(uint32_t *x, uint32_t n) {
    for (uint32_t i = n; i-- != 0;) x[i * blockDim.x + threadIdx.x] = ~x[i * blockDim.x + threadIdx.x];
}

extern "C" __global__ void counter_doubles(const int *x, int *out, int n) {
    int s = 0;
    for (int i = 1; i < n && i > 0; i *= 2) s += x[i];
    out[blockIdx.x * blockDim.x + threadIdx.x] = s;
}

extern "C" __global__ void counter_divides(const unsigned *x, unsigned *out, unsigned n) {
    unsigned s = 0;
    for (unsigned i = n; i; i /= 3) s = s * 31 + x[i];
    out[threadIdx.x] = s;
}

extern "C" __global__ void pointers_meet(int *x, int n) {
    int *a = x + (size_t)threadIdx.x * n, *b = a + n - 1;
    while (a < b) {
        int v = *a;
        *a++ = *b;
        *b-- = v;
    }
}

extern "C" __global__ void counter_float(float *out, float from, float to, float step) {
    int n = 0;
    for (float x = from; x < to; x += step) n++;
    out[threadIdx.x] = (float)n;
}

extern "C" __global__ void bound_inclusive_unsigned(const uint16_t *x, uint32_t *out, uint32_t last) {
    uint32_t s = 0;
    for (uint32_t i = 0; i <= last; i++) s += x[i];
    out[threadIdx.x] = s;
}

extern "C" __global__ void two_counters(const float *x, float *y, int n, int stride) {
    for (int i = threadIdx.x, j = n - 1; i < j; i += stride, j -= 2) y[i] = x[j] - x[i];
}

extern "C" __global__ void bound_moves(const int *x, int *out, int n) {
    int limit = n, i = 0, s = 0;
    while (i < limit) {
        int v = x[i++];
        s += v;
        if (v < 0 && limit > i) limit--;
    }
    out[threadIdx.x] = s;
}

extern "C" __global__ void counter_from_memory(const int *range, const float *x, float *y) {
    float s = 0.0f;
    for (int i = range[0]; i < range[1]; i += range[2]) s += x[i];
    y[threadIdx.x] = s;
}
