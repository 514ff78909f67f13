// Histograms and counting.
#include <cstdint>

extern "C" __global__ void histogram_global(const uint8_t *x, unsigned *bins, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&bins[x[i]], 1u);
}

extern "C" __global__ void histogram_shared_private(const uint32_t *x, unsigned *bins, int n) {
    __shared__ unsigned s[256];
    for (int i = threadIdx.x; i < 256; i += blockDim.x) s[i] = 0;
    __syncthreads();
    int stride = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
        uint32_t w = x[i];
#pragma unroll
        for (int k = 0; k < 4; k++) {
            atomicAdd(&s[w & 255], 1u);
            w >>= 8;
        }
    }
    __syncthreads();
    for (int i = threadIdx.x; i < 256; i += blockDim.x) atomicAdd(&bins[i], s[i]);
}

extern "C" __global__ void histogram_float_bins(const float *x, int *bins, int n, float low, float width, int count) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    for (int i = t; i < n; i += blockDim.x * gridDim.x) {
        int b = (int)floorf((x[i] - low) / width);
        if (b < 0 || b >= count) continue;
        atomicAdd(bins + b, 1);
    }
}

extern "C" __global__ void histogram_own_column(const uint8_t *x, uint16_t *bins, int n) {
    // Each thread has a histogram of sixteen in shared memory, one column a thread.
    __shared__ uint16_t s[16][64];
    int t = threadIdx.x;
    for (int b = 0; b < 16; b++) s[b][t] = 0;
    for (int i = t; i < n; i += 64) s[x[i] >> 4][t]++;
    __syncthreads();
    if (t < 16) {
        int total = 0;
        for (int k = 0; k < 64; k++) total += s[t][k];
        bins[blockIdx.x * 16 + t] = total;
    }
}

extern "C" __global__ void equalise_cumulative(const unsigned *bins, float *map, unsigned pixels) {
    if (threadIdx.x != 0) return;
    unsigned sum = 0;
    for (unsigned i = 0; i != 256; ++i) {
        sum += bins[i];
        map[i] = 255.0f * (float)sum / (float)pixels;
    }
}

extern "C" __global__ void mode_of_bytes(const uint8_t *x, int *mode, int n) {
    int candidate = -1, votes = 0;
    const uint8_t *p = x + (size_t)(blockIdx.x * blockDim.x + threadIdx.x) * n;
    for (int i = 0; i < n; i++) {
        if (votes == 0) {
            candidate = p[i];
            votes = 1;
        } else if (p[i] == candidate) {
            votes++;
        } else {
            votes--;
        }
    }
    mode[blockIdx.x * blockDim.x + threadIdx.x] = candidate;
}
