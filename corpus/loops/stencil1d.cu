// Stencils in one dimension.

extern "C" __global__ void blur3_chunked(const float *x, float *y, int n, int per) {
    int begin = (blockIdx.x * blockDim.x + threadIdx.x) * per + 1;
    for (int i = begin; i < begin + per; ++i) {
        if (i >= n - 1) break;
        y[i] = 0.25f * x[i - 1] + 0.5f * x[i] + 0.25f * x[i + 1];
    }
}

extern "C" __global__ void stencil_radius(const float *x, const float *w, float *y, int n, int radius) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float s = 0.0f;
    for (int k = -radius; k <= radius; k++) {
        int j = i + k;
        if (j >= 0 && j < n) s = fmaf(w[k + radius], x[j], s);
    }
    y[i] = s;
}

extern "C" __global__ void stencil_shared_halo(const float *x, float *y, int n) {
    __shared__ float s[128 + 8];
    int g = blockIdx.x * 128 + threadIdx.x;
    for (int k = threadIdx.x; k < 136; k += 128) {
        int j = blockIdx.x * 128 + k - 4;
        s[k] = j >= 0 && j < n ? x[j] : 0.0f;
    }
    __syncthreads();
    float v = 0.0f;
#pragma unroll
    for (int k = 0; k < 9; k++) v += s[threadIdx.x + k];
    if (g < n) y[g] = v / 9.0f;
}

extern "C" __global__ void heat_rod_steps(float *u, int steps, float a) {
    __shared__ float s[2][66];
    int t = threadIdx.x + 1, now = 0;
    s[0][t] = u[t];
    if (threadIdx.x == 0) {
        s[0][0] = s[1][0] = u[0];
        s[0][65] = s[1][65] = u[65];
    }
    __syncthreads();
    for (int k = 0; k < steps; k++) {
        s[now ^ 1][t] = s[now][t] + a * (s[now][t - 1] - 2.0f * s[now][t] + s[now][t + 1]);
        now ^= 1;
        __syncthreads();
    }
    u[t] = s[now][t];
}

extern "C" __global__ void game_of_rule110(unsigned *cells, int words, int generations) {
    int w = threadIdx.x;
    __shared__ unsigned row[64];
    row[w] = w < words ? cells[w] : 0u;
    __syncthreads();
    for (int g = 0; g < generations; g++) {
        unsigned c = row[w], left = w > 0 ? row[w - 1] : 0u, right = w < 63 ? row[w + 1] : 0u;
        unsigned l = c << 1 | left >> 31, r = c >> 1 | right << 31;
        __syncthreads();
        row[w] = (c | r) & ~(l & c & r);
        __syncthreads();
    }
    if (w < words) cells[w] = row[w];
}

extern "C" __global__ void derivative_in_place_window(double *x, int n) {
    // Each thread owns a column of 32; three values move through registers.
    int c = blockIdx.x * 32 + threadIdx.x;
    double before = x[c], here = x[c + 32];
    for (int i = 2; i < n; i++) {
        double next = x[(long)i * 32 + c];
        x[(long)(i - 1) * 32 + c] = (next - before) * 0.5;
        before = here;
        here = next;
    }
}
