// Stencils in two and three dimensions.
#include <cstdint>

extern "C" __global__ void jacobi_5_point(const float *in, float *out, int nx, int ny) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    if (x < 1 || x >= nx - 1) return;
    for (int y = 1; y < ny - 1; y++) {
        int i = y * nx + x;
        out[i] = 0.25f * (in[i - 1] + in[i + 1] + in[i - nx] + in[i + nx]);
    }
}

extern "C" __global__ void laplace_7_point_march(const double *in, double *out, int nx, int ny, int nz) {
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    if (x == 0 || y == 0 || x >= nx - 1 || y >= ny - 1) return;
    int plane = nx * ny, i = y * nx + x;
    double below = in[i], here = in[i + plane], above;
    for (int z = 1; z < nz - 1; z++) {
        i += plane;
        above = in[i + plane];
        out[i] = below + above + in[i - 1] + in[i + 1] + in[i - nx] + in[i + nx] - 6.0 * here;
        below = here;
        here = above;
    }
}

extern "C" __global__ void life_bytes(const uint8_t *a, uint8_t *b, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    int alive = 0;
#pragma unroll 1
    for (int dy = -1; dy <= 1; dy++) {
#pragma unroll
        for (int dx = -1; dx <= 1; dx++) {
            int u = (x + dx + w) % w, v = (y + dy + h) % h;
            if (dx | dy) alive += a[v * w + u];
        }
    }
    b[y * w + x] = alive == 3 || (alive == 2 && a[y * w + x]);
}

extern "C" __global__ void box_3d_27(const float *in, float *out, int n) {
    int x = threadIdx.x + 1, y = blockIdx.x + 1, z = blockIdx.y + 1;
    float s = 0.0f;
    for (int dz = -1; dz < 2; dz++)
        for (int dy = -1; dy < 2; dy++)
#pragma unroll 1
            for (int dx = -1; dx < 2; dx++) s += in[((z + dz) * n + y + dy) * n + x + dx];
    out[(z * n + y) * n + x] = s * (1.0f / 27.0f);
}

extern "C" __global__ void red_black_sor(float *u, const float *f, int n, float omega, int colour) {
    int y = blockIdx.x + 1;
    for (int x = 1 + ((y + colour) & 1) + 2 * threadIdx.x; x < n - 1; x += 2 * blockDim.x) {
        int i = y * n + x;
        float r = 0.25f * (u[i - 1] + u[i + 1] + u[i - n] + u[i + n] - f[i]);
        u[i] += omega * (r - u[i]);
    }
}
