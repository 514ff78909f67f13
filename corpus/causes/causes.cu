// One kernel for each way in which code for everyday loops and expressions costs more than it has to: what ptxas makes of it is the measure.
#include <cstdint>
#include <cuda_fp16.h>
#include <cuda_pipeline.h>

// Addresses: three arrays by one index.
extern "C" __global__ void addresses(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] * 2.0f + b[i];
}

// Addresses: neighbours in a plane.
extern "C" __global__ void plane(const float *in, float *out, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x > 0 && y > 0 && x < w - 1 && y < h - 1)
        out[y * w + x] = in[y * w + x - 1] + in[y * w + x + 1] + in[(y - 1) * w + x] + in[(y + 1) * w + x];
}

// Loops: a sum whose count is known at launch.
extern "C" __global__ void sum_of_row(const float *x, float *out, int n) {
    const float *row = x + (blockIdx.x * blockDim.x + threadIdx.x) % 64 * n;
    float s = 0.0f;
    for (int i = 0; i < n; i++) s += row[i];
    out[blockIdx.x * blockDim.x + threadIdx.x] = s;
}

// Loops: a row by a column.
extern "C" __global__ void product(const float *a, const float *b, float *c, int n) {
    int x = threadIdx.x % 64, y = blockIdx.x;
    float s = 0.0f;
    for (int k = 0; k < n; k++) s += a[y * n + k] * b[k * 64 + x];
    c[y * 64 + x] = s;
}

// Division and roots of binary32 in a loop.
extern "C" __global__ void quotients(const float *a, const float *b, float *c, int n) {
    for (int i = threadIdx.x; i < n; i += blockDim.x) c[i] = a[i] / b[i];
}
extern "C" __global__ void roots(const float *a, float *c, int n) {
    for (int i = threadIdx.x; i < n; i += blockDim.x) c[i] = sqrtf(a[i]) + 1.0f / a[i];
}

// The same of binary64.
extern "C" __global__ void quotients_64(const double *a, const double *b, double *c, int n) {
    for (int i = threadIdx.x; i < n; i += blockDim.x) c[i] = a[i] / b[i] + rsqrt(a[i]);
}

// Division of whole numbers.
extern "C" __global__ void quotients_whole(const int *a, const int *b, int *c, int n) {
    for (int i = threadIdx.x; i < n; i += blockDim.x) c[i] = a[i] / (b[i] + 1) + a[i] % (b[i] + 1);
}
extern "C" __global__ void quotients_whole_64(const int64_t *a, const int64_t *b, int64_t *c, int n) {
    for (int i = threadIdx.x; i < n; i += blockDim.x) c[i] = a[i] / (b[i] + 1);
}

// Predication: small sides of branches.
extern "C" __global__ void picked(const int *x, int *out, int n) {
    int above = 0, last = -1;
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        if (x[i] > 16) { above++; last = i; }
        else if (x[i] == 3) above--;
    }
    out[threadIdx.x] = above + last;
}
extern "C" __global__ void guarded_stores(const int *x, int *out, int n) {
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        int v = x[i];
        if (v & 1) out[i] = v;
        if (v > 7) v = x[v];
        out[n + i] = v;
    }
}

// Copies to shared memory that nobody waits for at once.
extern "C" __global__ void copied_early(const float4 *in, float4 *out, int n) {
    __shared__ float4 tile[2][256];
    int t = threadIdx.x;
    __pipeline_memcpy_async(&tile[0][t], in + t, 16);
    __pipeline_commit();
    for (int i = 0; i < n / 256; i++) {
        __pipeline_memcpy_async(&tile[(i + 1) & 1][t], in + (i + 1) * 256 + t, 16);
        __pipeline_commit();
        __pipeline_wait_prior(1);
        __syncthreads();
        float4 v = tile[i & 1][255 - t];
        out[i * 256 + t] = make_float4(v.x + v.y, v.y, v.z, v.w + v.x);
        __syncthreads();
    }
}

// Low and high products of the same factors: ten rounds of Philox 4x32.
extern "C" __global__ void random_numbers(uint32_t *out, uint32_t seed, int n) {
    uint32_t t = blockIdx.x * blockDim.x + threadIdx.x;
    for (int i = 0; i < n / 64; i++) {
        uint32_t c0 = t, c1 = i, c2 = 0, c3 = 0, k0 = seed, k1 = seed ^ 0x5bd1e995u;
#pragma unroll
        for (int r = 0; r < 10; r++) {
            uint32_t h0 = __umulhi(0xD2511F53u, c0), l0 = 0xD2511F53u * c0, h1 = __umulhi(0xCD9E8D57u, c2), l1 = 0xCD9E8D57u * c2;
            c0 = h1 ^ c1 ^ k0; c1 = l1; c2 = h0 ^ c3 ^ k1; c3 = l0;
            k0 += 0x9E3779B9u; k1 += 0xBB67AE85u;
        }
        out[4 * t] = c0; out[4 * t + 1] = c1; out[4 * t + 2] = c2; out[4 * t + 3] = c3;
    }
}

// Sums of 64 bits and rotations: a round of a hash.
extern "C" __global__ void mixed_64(const uint64_t *x, uint64_t *out, int n) {
    uint64_t a = 0x6a09e667f3bcc908ull, b = 0xbb67ae8584caa73bull, c = threadIdx.x, d = 0x510e527fade682d1ull;
    for (int i = 0; i < n; i++) {
        a = a + b + x[i]; d ^= a; d = d >> 32 | d << 32;
        c = c + d; b ^= c; b = b >> 24 | b << 40;
    }
    out[threadIdx.x] = a + b + c + d;
}

// Products that saturate, and halves in pairs.
extern "C" __global__ void saturated(const float *x, float *out, float scale, int n) {
    for (int i = threadIdx.x; i < n; i += blockDim.x) out[i] = __saturatef(x[i] * scale) + fabsf(__saturatef(x[i] + scale));
}
extern "C" __global__ void halves(const half2 *a, const half2 *b, half *out, int n) {
    half2 s = __float2half2_rn(0.0f);
    for (int i = threadIdx.x; i < n; i += blockDim.x) s = __hfma2(a[i], __half2half2(__high2half(b[i])), s);
    out[threadIdx.x] = __hadd(__low2half(s), __high2half(s));
}

// A local array: a window that slides.
extern "C" __global__ void window(const float *x, float *out, int n) {
    float w[8];
    for (int i = 0; i < 8; i++) w[i] = x[threadIdx.x + i];
    for (int i = 8; i < n / 8; i++) {
        float s = 0.0f;
#pragma unroll
        for (int k = 0; k < 7; k++) { w[k] = w[k + 1]; s += w[k]; }
        w[7] = x[threadIdx.x + i];
        out[threadIdx.x + i] = s + w[7];
    }
}

// Scheduling: forces between bodies.
extern "C" __global__ void forces(const float4 *body, float3 *force, int n) {
    float4 me = body[threadIdx.x];
    float3 f = make_float3(0.0f, 0.0f, 0.0f);
    for (int j = 0; j < n; j++) {
        float4 b = body[j];
        float dx = b.x - me.x, dy = b.y - me.y, dz = b.z - me.z;
        float r = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f), k = b.w * r * r * r;
        f.x += dx * k; f.y += dy * k; f.z += dz * k;
    }
    force[threadIdx.x] = f;
}

// Atomics: all lanes of a warp count at few addresses.
extern "C" __global__ void counted(const int *x, unsigned *bins, unsigned *all, int n) {
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        atomicAdd(&bins[x[i] & 31], 1u);
        atomicAdd(all, 1u);
    }
}
