// Reductions within a block: trees in shared memory, shuffles, votes.
#include <cstdint>

extern "C" __global__ void block_tree_sum_f32(const float *x, float *out) {
    __shared__ float s[256];
    int t = threadIdx.x;
    s[t] = x[blockIdx.x * 256 + t];
    __syncthreads();
    for (int k = 128; k > 0; k >>= 1) {
        if (t < k) s[t] += s[t + k];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = s[0];
}

extern "C" __global__ void block_tree_interleaved_u32(const uint32_t *x, uint32_t *out, int n) {
    extern __shared__ uint32_t pool[];
    unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    pool[t] = i < n ? x[i] : 0;
    __syncthreads();
    for (unsigned s = 1; s < blockDim.x; s *= 2) {
        unsigned at = 2 * s * t;
        if (at + s < blockDim.x) pool[at] ^= pool[at + s];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = pool[0];
}

extern "C" __global__ void warp_shuffle_max_f32(const float *x, float *out) {
    float v = x[blockIdx.x * blockDim.x + threadIdx.x];
    for (int d = 16; d > 0; d /= 2) v = fmaxf(v, __shfl_xor_sync(0xffffffffu, v, d));
    if ((threadIdx.x & 31) == 0) out[(blockIdx.x * blockDim.x + threadIdx.x) >> 5] = v;
}

extern "C" __global__ void warp_shuffle_rolled_s32(const int *x, int *out) {
    int v = x[threadIdx.x];
#pragma unroll 1
    for (unsigned d = 1; d < 32; d <<= 1) v += __shfl_down_sync(0xffffffffu, v, d);
    if (threadIdx.x % 32 == 0) out[threadIdx.x / 32] = v;
}

__device__ __forceinline__ double warp_sum(double v) {
#pragma unroll
    for (int d = 16; d; d >>= 1) v += __shfl_down_sync(0xffffffffu, v, d);
    return v;
}

extern "C" __global__ void block_shuffle_sum_f64(const double *x, double *out, int n) {
    __shared__ double part[32];
    double s = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x) s += x[(size_t)blockIdx.x * n + i];
    s = warp_sum(s);
    if ((threadIdx.x & 31) == 0) part[threadIdx.x >> 5] = s;
    __syncthreads();
    if (threadIdx.x < 32) {
        s = threadIdx.x < (blockDim.x >> 5) ? part[threadIdx.x] : 0.0;
        s = warp_sum(s);
        if (threadIdx.x == 0) out[blockIdx.x] = s;
    }
}

extern "C" __global__ void count_positive_ballot(const float *x, int *out, int n) {
    int total = 0;
    for (int base = 0; base < n; base += 32) {
        int i = base + (threadIdx.x & 31);
        bool yes = i < n && x[i] > 0.0f;
        total += __popc(__ballot_sync(0xffffffffu, yes));
    }
    if (threadIdx.x == 0) *out = total;
}
