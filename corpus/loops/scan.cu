// Prefix sums: by one thread, by blocks in shared memory, by warps.
#include <cstdint>

extern "C" __global__ void scan_serial_inclusive(const int *x, int *y, int rows, int n) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    int s = 0;
    for (int i = 0; i < n; i++) {
        s += x[r * n + i];
        y[r * n + i] = s;
    }
}

extern "C" __global__ void scan_hillis_steele(const float *x, float *y, int n) {
    __shared__ float a[2][512];
    int t = threadIdx.x, from = 0;
    a[0][t] = t < n ? x[t] : 0.0f;
    __syncthreads();
    for (int d = 1; d < 512; d *= 2) {
        a[1 - from][t] = t >= d ? a[from][t] + a[from][t - d] : a[from][t];
        from = 1 - from;
        __syncthreads();
    }
    if (t < n) y[t] = a[from][t];
}

extern "C" __global__ void scan_blelloch_u32(uint32_t *x) {
    __shared__ uint32_t s[256];
    int t = threadIdx.x, offset = 1;
    s[2 * t] = x[2 * t];
    s[2 * t + 1] = x[2 * t + 1];
    for (int d = 128; d > 0; d >>= 1) {
        __syncthreads();
        if (t < d) s[offset * (2 * t + 2) - 1] += s[offset * (2 * t + 1) - 1];
        offset *= 2;
    }
    if (t == 0) s[255] = 0;
    for (int d = 1; d < 256; d *= 2) {
        offset >>= 1;
        __syncthreads();
        if (t < d) {
            int a = offset * (2 * t + 1) - 1, b = offset * (2 * t + 2) - 1;
            uint32_t v = s[a];
            s[a] = s[b];
            s[b] += v;
        }
    }
    __syncthreads();
    x[2 * t] = s[2 * t];
    x[2 * t + 1] = s[2 * t + 1];
}

extern "C" __global__ void scan_warp_shuffle(const int *x, int *y) {
    int lane = threadIdx.x & 31, v = x[blockIdx.x * blockDim.x + threadIdx.x];
#pragma unroll
    for (int d = 1; d < 32; d <<= 1) {
        int w = __shfl_up_sync(0xffffffffu, v, d);
        if (lane >= d) v += w;
    }
    y[blockIdx.x * blockDim.x + threadIdx.x] = v;
}

extern "C" __global__ void scan_segmented_flags(const float *x, const uint8_t *head, float *y, int n, int per) {
    int begin = (blockIdx.x * blockDim.x + threadIdx.x) * per;
    float s = 0.0f;
    for (int i = begin; i < begin + per && i < n; i++) {
        if (head[i]) s = 0.0f;
        s += x[i];
        y[i] = s;
    }
}

extern "C" __global__ void scan_backward_max(const short *x, short *y, int n) {
    int column = threadIdx.x;
    short best = -32768;
    for (int i = n - 1; i >= 0; --i) {
        short v = x[i * 64 + column];
        best = v > best ? v : best;
        y[i * 64 + column] = best;
    }
}
