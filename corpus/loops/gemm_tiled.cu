// Products of matrices by tiles in shared memory and registers.
#include <cuda_fp16.h>

extern "C" __global__ void gemm_tile16_f32(const float *a, const float *b, float *c, int n) {
    __shared__ float sa[16][16], sb[16][16];
    int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * 16 + ty, column = blockIdx.x * 16 + tx;
    float s = 0.0f;
    for (int t = 0; t < n / 16; t++) {
        sa[ty][tx] = a[row * n + t * 16 + tx];
        sb[ty][tx] = b[(t * 16 + ty) * n + column];
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 16; k++) s += sa[ty][k] * sb[k][tx];
        __syncthreads();
    }
    c[row * n + column] = s;
}

extern "C" __global__ void gemm_tile8_guarded_f64(const double *a, const double *b, double *c, int m, int n, int k) {
    __shared__ double sa[8][9], sb[8][9];
    int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * 8 + ty, column = blockIdx.x * 8 + tx;
    double s = 0;
    for (int t = 0; t < k; t += 8) {
        sa[ty][tx] = row < m && t + tx < k ? a[row * k + t + tx] : 0;
        sb[ty][tx] = column < n && t + ty < k ? b[(t + ty) * n + column] : 0;
        __syncthreads();
#pragma unroll 2
        for (int i = 0; i < 8; i++) s += sa[ty][i] * sb[i][tx];
        __syncthreads();
    }
    if (row < m && column < n) c[row * n + column] = s;
}

extern "C" __global__ void gemm_register_block_4x4(const float *a, const float *b, float *c, int n) {
    int row = (blockIdx.y * blockDim.y + threadIdx.y) * 4, column = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
    float s[4][4] = {};
    for (int k = 0; k < n; k++) {
        float u[4], v[4];
#pragma unroll
        for (int i = 0; i < 4; i++) {
            u[i] = a[(row + i) * n + k];
            v[i] = b[k * n + column + i];
        }
#pragma unroll
        for (int i = 0; i < 4; i++)
#pragma unroll
            for (int j = 0; j < 4; j++) s[i][j] += u[i] * v[j];
    }
#pragma unroll
    for (int i = 0; i < 4; i++)
#pragma unroll
        for (int j = 0; j < 4; j++) c[(row + i) * n + column + j] = s[i][j];
}

extern "C" __global__ void gemm_tile32_half2(const half2 *a, const half2 *b, half *c, int n2) {
    __shared__ half2 sa[32][17], sb[32][17];
    half2 s = __float2half2_rn(0.0f);
    for (int t = 0; t < n2; t += 16) {
        for (int i = threadIdx.y; i < 32; i += blockDim.y) {
            sa[i][threadIdx.x] = a[(blockIdx.y * 32 + i) * n2 + t + threadIdx.x];
            sb[i][threadIdx.x] = b[(blockIdx.x * 32 + i) * n2 + t + threadIdx.x];
        }
        __syncthreads();
        for (int k = 0; k < 16; k++) s = __hfma2(sa[threadIdx.y][k], sb[threadIdx.x][k], s);
        __syncthreads();
    }
    c[(blockIdx.y * 32 + threadIdx.y) * n2 + blockIdx.x * 16 + threadIdx.x] = __hadd(__low2half(s), __high2half(s));
}

extern "C" __global__ void gemm_double_buffered(const float *a, const float *b, float *c, int n) {
    __shared__ float sa[2][16][16], sb[2][16][16];
    int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * 16 + ty, column = blockIdx.x * 16 + tx;
    sa[0][ty][tx] = a[row * n + tx];
    sb[0][ty][tx] = b[ty * n + column];
    __syncthreads();
    float s = 0.0f;
    int tiles = n / 16;
    for (int t = 0; t < tiles; t++) {
        int now = t & 1;
        if (t + 1 < tiles) {
            sa[now ^ 1][ty][tx] = a[row * n + (t + 1) * 16 + tx];
            sb[now ^ 1][ty][tx] = b[((t + 1) * 16 + ty) * n + column];
        }
#pragma unroll
        for (int k = 0; k < 16; k++) s += sa[now][ty][k] * sb[now][k][tx];
        __syncthreads();
    }
    c[row * n + column] = s;
}
