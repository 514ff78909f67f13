// Particles, fields and integrators.
#include <cstdint>

extern "C" __global__ void nbody_all_pairs(const float4 *p, float3 *force, int n, float softening) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float4 me = p[i];
    float fx = 0.0f, fy = 0.0f, fz = 0.0f;
    for (int j = 0; j < n; j++) {
        float dx = p[j].x - me.x, dy = p[j].y - me.y, dz = p[j].z - me.z;
        float r2 = dx * dx + dy * dy + dz * dz + softening;
        float inv = rsqrtf(r2), s = p[j].w * inv * inv * inv;
        fx += dx * s, fy += dy * s, fz += dz * s;
    }
    force[i] = make_float3(fx, fy, fz);
}

extern "C" __global__ void nbody_shared_tiles(const float4 *p, float4 *a, int n) {
    __shared__ float4 tile[128];
    int i = blockIdx.x * 128 + threadIdx.x;
    float4 me = p[i];
    float x = 0, y = 0, z = 0;
    for (int t = 0; t < n; t += 128) {
        tile[threadIdx.x] = p[t + threadIdx.x];
        __syncthreads();
#pragma unroll 4
        for (int j = 0; j < 128; j++) {
            float dx = tile[j].x - me.x, dy = tile[j].y - me.y, dz = tile[j].z - me.z;
            float s = tile[j].w / (dx * dx + dy * dy + dz * dz + 0.01f);
            x += dx * s, y += dy * s, z += dz * s;
        }
        __syncthreads();
    }
    a[i] = make_float4(x, y, z, 0);
}

extern "C" __global__ void leapfrog_steps(float2 *state, int steps, float dt, float k) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    float x = state[t].x, v = state[t].y;
    for (int i = 0; i < steps; i++) {
        v -= 0.5f * dt * k * x;
        x += dt * v;
        v -= 0.5f * dt * k * x;
    }
    state[t] = make_float2(x, v);
}

extern "C" __global__ void runge_kutta_logistic(double *u, int steps, double h, double r) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    double y = u[t];
    for (int i = 0; i < steps; i++) {
        double k1 = r * y * (1 - y);
        double y2 = y + 0.5 * h * k1, k2 = r * y2 * (1 - y2);
        double y3 = y + 0.5 * h * k2, k3 = r * y3 * (1 - y3);
        double y4 = y + h * k3, k4 = r * y4 * (1 - y4);
        y += h / 6.0 * (k1 + 2 * k2 + 2 * k3 + k4);
    }
    u[t] = y;
}

extern "C" __global__ void cell_list_neighbours(const float2 *p, const int *start, const int *item, int *count, int nx, int ny, float r2) {
    int c = blockIdx.x, cx = c % nx, cy = c / nx;
    for (int a = start[c] + threadIdx.x; a < start[c + 1]; a += blockDim.x) {
        float2 me = p[item[a]];
        int n = 0;
        for (int y = max(cy - 1, 0); y <= min(cy + 1, ny - 1); y++)
            for (int x = max(cx - 1, 0); x <= min(cx + 1, nx - 1); x++)
                for (int b = start[y * nx + x]; b < start[y * nx + x + 1]; b++) {
                    float dx = p[item[b]].x - me.x, dy = p[item[b]].y - me.y;
                    n += dx * dx + dy * dy < r2;
                }
        count[item[a]] = n;
    }
}

extern "C" __global__ void ising_metropolis(int8_t *spin, const uint32_t *draw, int n, int parity, uint32_t accept4, uint32_t accept8) {
    int y = blockIdx.x;
    for (int x = 2 * threadIdx.x + ((y + parity) & 1); x < n; x += 2 * blockDim.x) {
        int up = (y + n - 1) % n, down = (y + 1) % n, left = (x + n - 1) % n, right = (x + 1) % n;
        int e = 2 * spin[y * n + x] * (spin[up * n + x] + spin[down * n + x] + spin[y * n + left] + spin[y * n + right]);
        uint32_t r = draw[y * n + x];
        if (e <= 0 || (e == 4 && r < accept4) || (e == 8 && r < accept8)) spin[y * n + x] = -spin[y * n + x];
    }
}

extern "C" __global__ void thomas_tridiagonal(const float *a, const float *b, float *c, float *d, int n, int systems) {
    int s = blockIdx.x * blockDim.x + threadIdx.x;
    if (s >= systems) return;
    c[s] /= b[s];
    d[s] /= b[s];
    for (int i = 1; i < n; i++) {
        int at = i * systems + s;
        float m = 1.0f / (b[at] - a[at] * c[at - systems]);
        c[at] *= m;
        d[at] = (d[at] - a[at] * d[at - systems]) * m;
    }
    for (int i = n - 2; i >= 0; i--) d[i * systems + s] -= c[i * systems + s] * d[(i + 1) * systems + s];
}
