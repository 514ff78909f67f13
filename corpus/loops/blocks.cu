// Blocks that work together: compaction, queues, last blocks, locks, prefetching.
#include <cstdint>

extern "C" __global__ void compact_by_ballot(const int *x, int *out, int *count, int n) {
    int lane = threadIdx.x & 31;
    for (int base = blockIdx.x * blockDim.x + (threadIdx.x & ~31); base < n; base += gridDim.x * blockDim.x) {
        int i = base + lane, v = i < n ? x[i] : 0;
        unsigned keep = __ballot_sync(0xffffffffu, v != 0);
        int at = 0;
        if (lane == 0) at = atomicAdd(count, __popc(keep));
        at = __shfl_sync(0xffffffffu, at, 0);
        if (v) out[at + __popc(keep & ((1u << lane) - 1))] = v;
    }
}

extern "C" __global__ void last_block_sums(const float *x, float *part, unsigned *done, float *out, int n) {
    __shared__ float s[128];
    __shared__ bool last;
    float v = 0.0f;
    for (int i = blockIdx.x * 128 + threadIdx.x; i < n; i += gridDim.x * 128) v += x[i];
    s[threadIdx.x] = v;
    __syncthreads();
    for (int k = 64; k > 0; k /= 2) {
        if (threadIdx.x < k) s[threadIdx.x] += s[threadIdx.x + k];
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        part[blockIdx.x] = s[0];
        __threadfence();
        last = atomicInc(done, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (!last) return;
    float total = 0.0f;
    for (int i = threadIdx.x; i < gridDim.x; i += 128) total += part[i];
    atomicAdd(out, total);
}

extern "C" __global__ void work_queue(const int *cost, int *taken, int jobs, int *done) {
    int mine = 0;
    while (true) {
        int j = atomicAdd(taken, 1);
        if (j >= jobs) break;
        int v = cost[j];
        for (int k = 0; k < v; k++) mine = mine * 5 + 1;
        done[j] = mine;
    }
}

extern "C" __global__ void prefetch_next(const float *x, float *out, int n) {
    int t = threadIdx.x;
    float next = n > 0 ? x[t] : 0.0f, s = 0.0f;
    for (int i = 0; i < n; i++) {
        float now = next;
        if (i + 1 < n) next = x[(i + 1) * blockDim.x + t];
        s = s * 0.9f + now;
    }
    out[t] = s;
}

extern "C" __global__ void ring_in_shared(const float *x, float *y, int n) {
    __shared__ float ring[4][64];
    int t = threadIdx.x;
    for (int i = 0; i < 3 && i < n; i++) ring[i][t] = x[i * 64 + t];
    for (int i = 0; i < n; i++) {
        __syncthreads();
        if (i + 3 < n) ring[(i + 3) & 3][t] = x[(i + 3) * 64 + t];
        y[i * 64 + t] = ring[i & 3][t ^ 1];
    }
}

extern "C" __global__ void float_max_by_cas(float *top, const float *x, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float v = x[i];
        int old = *(volatile int *)top;
        while (__int_as_float(old) < v) {
            int seen = atomicCAS((int *)top, old, __float_as_int(v));
            if (seen == old) break;
            old = seen;
        }
    }
}

extern "C" __global__ void broadcast_rows_by_shuffle(const float *x, float *y, int rows) {
    int lane = threadIdx.x;
    float mine = x[lane];
    for (int r = 0; r < rows; r++) {
        float s = 0.0f, w = x[32 + r * 32 + lane];
#pragma unroll 1
        for (int k = 0; k < 32; k++) s += __shfl_sync(~0u, w, k) * mine;
        y[r * 32 + lane] = s;
    }
}

extern "C" __global__ void rotate_around_warp(const int *x, int *y, int turns) {
    int v = x[threadIdx.x], best = v;
    for (int k = 0; k < turns; k++) {
        v = __shfl_sync(0xffffffffu, v, (threadIdx.x + 1) & 31);
        best = max(best, v - k);
    }
    y[threadIdx.x] = best;
}

extern "C" __global__ void uniform_per_block(const int *limits, const float *x, float *y) {
    int n = limits[blockIdx.x];
    float s = 0.0f;
    for (int i = 0; i < n; i++) s += x[i * 256 + threadIdx.x];
    y[blockIdx.x * 256 + threadIdx.x] = s;
}

extern "C" __global__ void steps_with_barrier_and_exit(float *x, int most, float epsilon) {
    __shared__ int moved;
    float v = x[threadIdx.x];
    for (int k = 0; k < most; k++) {
        if (threadIdx.x == 0) moved = 0;
        __syncthreads();
        float w = 0.5f * (v + 1.0f);
        if (fabsf(w - v) > epsilon) moved = 1;
        v = w;
        __syncthreads();
        if (!moved) break;
        __syncthreads();
    }
    x[threadIdx.x] = v;
}
