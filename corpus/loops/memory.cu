// What loops do to memory: copies, fills, gathers, scatters, aliases, structures, local arrays.
#include <cstdint>

extern "C" __global__ void fill_pattern(uint32_t *out, uint32_t pattern, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) out[i] = pattern + i;
}

extern "C" __global__ void gather_indices(const float *x, const int *index, float *y, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) y[i] = x[index[i]];
}

extern "C" __global__ void scatter_with_mask(const float *x, const int *index, const uint8_t *mask, float *y, int n) {
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        if (mask[i]) y[index[i]] = x[i];
}

extern "C" __global__ void copy_overlapping_forward(uint8_t *p, int n, int by) {
    if (threadIdx.x) return;
    for (int i = 0; i < n; i++) p[i + by] = p[i];
}

extern "C" __global__ void bound_through_pointer(const float *x, float *y, int *n) {
    // What is stored may be the bound.
    for (int i = 0; i < *n; i++) y[i] = x[i] + 1.0f;
}

struct Particle {
    float x, y, z;
    int kind;
    double mass;
};

extern "C" __global__ void structures_total_mass(const Particle *p, double *mass, int n, int kind) {
    double s = 0.0;
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        if (p[i].kind == kind) s += p[i].mass;
    mass[threadIdx.x] = s;
}

extern "C" __global__ void structures_move(Particle *p, int n, float dt, int steps) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n) return;
    for (int k = 0; k < steps; k++) {
        p[t].x += dt * p[t].y;
        p[t].y -= dt * p[t].x;
        p[t].z += dt;
    }
}

extern "C" __global__ void local_counts(const uint8_t *x, int *out, int n) {
    int count[16];
    for (int k = 0; k < 16; k++) count[k] = 0;
    for (int i = 0; i < n; i++) count[x[threadIdx.x * n + i] & 15]++;
    int best = 0;
    for (int k = 1; k < 16; k++)
        if (count[k] > count[best]) best = k;
    out[threadIdx.x] = best;
}

extern "C" __global__ void accumulate_in_memory(const int *x, int *sum, int n) {
    // The sum lives in memory, for x may be the same.
    for (int i = 0; i < n; i++) sum[threadIdx.x] += x[i];
}

extern "C" __global__ void rows_to_columns_bytes(const uchar4 *in, uint8_t *r, uint8_t *g, uint8_t *b, unsigned pixels) {
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < pixels; i += blockDim.x * gridDim.x) {
        uchar4 p = in[i];
        r[i] = p.x;
        g[i] = p.y;
        b[i] = p.z;
    }
}

extern "C" __global__ void reverse_in_shared(int *x, int n) {
    extern __shared__ int mirror[];
    for (int i = threadIdx.x; i < n; i += blockDim.x) mirror[i] = x[i];
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) x[i] = mirror[n - 1 - i];
}

__constant__ float weights[64];

extern "C" __global__ void weighted_by_constants(const float *x, float *y, int n, int taps) {
    for (int i = threadIdx.x; i + taps <= n; i += blockDim.x) {
        float s = 0.0f;
        for (int k = 0; k < taps; k++) s += weights[k] * x[i + k];
        y[i] = s;
    }
}

extern "C" __global__ void volatile_poll_count(volatile int *word, int *out, int most) {
    int c = 0;
    for (int i = 0; i < most; i++) c += *word != 0;
    out[threadIdx.x] = c;
}
