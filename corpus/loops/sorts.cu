// Sorting: networks in shared memory, by one thread, by digits.
#include <cstdint>

extern "C" __global__ void bitonic_sort_shared(int *x) {
    __shared__ int s[512];
    int t = threadIdx.x;
    s[t] = x[blockIdx.x * 512 + t];
    __syncthreads();
    for (int k = 2; k <= 512; k <<= 1) {
        for (int j = k >> 1; j > 0; j >>= 1) {
            int other = t ^ j;
            if (other > t) {
                int a = s[t], b = s[other];
                if ((a > b) == ((t & k) == 0)) {
                    s[t] = b;
                    s[other] = a;
                }
            }
            __syncthreads();
        }
    }
    x[blockIdx.x * 512 + t] = s[t];
}

extern "C" __global__ void bitonic_step_global(float *x, int j, int k, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int other = i ^ j;
        if (other <= i) continue;
        float a = x[i], b = x[other];
        bool up = (i & k) == 0;
        if (up ? a > b : a < b) {
            x[i] = b;
            x[other] = a;
        }
    }
}

extern "C" __global__ void odd_even_transposition(uint16_t *x, int n) {
    extern __shared__ uint16_t half_words[];
    int t = threadIdx.x;
    for (int i = t; i < n; i += blockDim.x) half_words[i] = x[i];
    __syncthreads();
    for (int phase = 0; phase < n; phase++) {
        for (int i = 2 * t + (phase & 1); i + 1 < n; i += 2 * blockDim.x) {
            uint16_t a = half_words[i], b = half_words[i + 1];
            if (a > b) {
                half_words[i] = b;
                half_words[i + 1] = a;
            }
        }
        __syncthreads();
    }
    for (int i = t; i < n; i += blockDim.x) x[i] = half_words[i];
}

extern "C" __global__ void insertion_sort_rows(float *x, int rows, int n) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    float *row = x + (size_t)r * n;
    for (int i = 1; i < n; i++) {
        float v = row[i];
        int j = i - 1;
        while (j >= 0 && row[j] > v) {
            row[j + 1] = row[j];
            j--;
        }
        row[j + 1] = v;
    }
}

extern "C" __global__ void radix_count_digits(const uint32_t *x, uint32_t *count, int n, int shift) {
    __shared__ uint32_t bin[16];
    if (threadIdx.x < 16) bin[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&bin[x[i] >> shift & 15], 1u);
    __syncthreads();
    if (threadIdx.x < 16) count[threadIdx.x * gridDim.x + blockIdx.x] = bin[threadIdx.x];
}

extern "C" __global__ void merge_two_runs(const int *a, int na, const int *b, int nb, int *out) {
    if (threadIdx.x || blockIdx.x) return;
    int i = 0, j = 0, k = 0;
    while (i < na && j < nb) out[k++] = b[j] < a[i] ? b[j++] : a[i++];
    while (i < na) out[k++] = a[i++];
    while (j < nb) out[k++] = b[j++];
}

extern "C" __global__ void selection_of_top8(const float *x, float *top, int n) {
    float best[8];
#pragma unroll
    for (int k = 0; k < 8; k++) best[k] = -INFINITY;
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        float v = x[(size_t)blockIdx.x * n + i];
#pragma unroll
        for (int k = 0; k < 8; k++) {
            float larger = fmaxf(best[k], v);
            v = fminf(best[k], v);
            best[k] = larger;
        }
    }
#pragma unroll
    for (int k = 0; k < 8; k++) top[((size_t)blockIdx.x * blockDim.x + threadIdx.x) * 8 + k] = best[k];
}
