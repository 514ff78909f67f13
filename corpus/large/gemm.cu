// Matrix products that hold 8x8 and 4x8 results of each thread in registers: f32 with vector loads, f64, and packed halves.
#include <cuda_fp16.h>

extern "C" __global__ void __launch_bounds__(256) gemm_f32(float *c, const float *a, const float *b, int n, float alpha, float beta) {
  __shared__ float sa[2][8][128], sb[2][8][128];
  float acc[8][8] = {};
  int t = threadIdx.x, tx = t % 16 * 8, ty = t / 16 * 8;
  const float *pa = a + (blockIdx.y * 128 + t / 2) * n + t % 2 * 4, *pb = b + t / 32 * n + blockIdx.x * 128 + t % 32 * 4;
  float4 va = *(const float4 *)pa, vb = *(const float4 *)pb;
  int side = 0;
  for (int k = 0; k < n; k += 8) {
    sa[side][t % 2 * 4][t / 2] = va.x, sa[side][t % 2 * 4 + 1][t / 2] = va.y;
    sa[side][t % 2 * 4 + 2][t / 2] = va.z, sa[side][t % 2 * 4 + 3][t / 2] = va.w;
    *(float4 *)&sb[side][t / 32][t % 32 * 4] = vb;
    __syncthreads();
    if (k + 8 < n) va = *(const float4 *)(pa + k + 8), vb = *(const float4 *)(pb + (k + 8) * n);
#pragma unroll
    for (int kk = 0; kk < 8; kk++) {
      float x[8], y[8];
#pragma unroll
      for (int i = 0; i < 8; i += 4) *(float4 *)&x[i] = *(float4 *)&sa[side][kk][ty + i], *(float4 *)&y[i] = *(float4 *)&sb[side][kk][tx + i];
#pragma unroll
      for (int i = 0; i < 8; i++)
#pragma unroll
        for (int j = 0; j < 8; j++) acc[i][j] += x[i] * y[j];
    }
    side ^= 1;
  }
#pragma unroll
  for (int i = 0; i < 8; i++)
#pragma unroll
    for (int j = 0; j < 8; j += 4) {
      float4 *p = (float4 *)(c + (blockIdx.y * 128 + ty + i) * n + blockIdx.x * 128 + tx + j), old = *p;
      old.x = alpha * acc[i][j] + beta * old.x, old.y = alpha * acc[i][j + 1] + beta * old.y;
      old.z = alpha * acc[i][j + 2] + beta * old.z, old.w = alpha * acc[i][j + 3] + beta * old.w;
      *p = old;
    }
}

extern "C" __global__ void __launch_bounds__(128) gemm_f64(double *c, const double *a, const double *b, int m, int n, int k) {
  __shared__ double sa[16][66], sb[16][64];
  double acc[4][8] = {};
  int t = threadIdx.x, tx = t % 8 * 8, ty = t / 8 * 4, row = blockIdx.y * 64, col = blockIdx.x * 64;
  for (int k0 = 0; k0 < k; k0 += 16) {
#pragma unroll
    for (int i = 0; i < 8; i++) {
      int at = t + i * 128, r = at / 16, x = at % 16;
      sa[x][r] = row + r < m && k0 + x < k ? a[(row + r) * k + k0 + x] : 0.0;
      r = at / 64, x = at % 64;
      sb[r][x] = k0 + r < k && col + x < n ? b[(k0 + r) * n + col + x] : 0.0;
    }
    __syncthreads();
#pragma unroll 4
    for (int kk = 0; kk < 16; kk++)
#pragma unroll
      for (int i = 0; i < 4; i++)
#pragma unroll
        for (int j = 0; j < 8; j++) acc[i][j] = fma(sa[kk][ty + i], sb[kk][tx + j], acc[i][j]);
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < 4; i++)
#pragma unroll
    for (int j = 0; j < 8; j++)
      if (row + ty + i < m && col + tx + j < n) c[(row + ty + i) * n + col + tx + j] = acc[i][j];
}

extern "C" __global__ void __launch_bounds__(64) gemm_half2(__half2 *c, const __half *a, const __half2 *b, int n) {
  __half2 acc[8][4];
#pragma unroll
  for (int i = 0; i < 8; i++)
#pragma unroll
    for (int j = 0; j < 4; j++) acc[i][j] = __float2half2_rn(0);
  int x = (blockIdx.x * 8 + threadIdx.x % 8) * 4, y = (blockIdx.y * 8 + threadIdx.x / 8) * 8;
  for (int k = 0; k < n; k += 2)
#pragma unroll
    for (int kk = 0; kk < 2; kk++) {
      __half2 v[4];
#pragma unroll
      for (int j = 0; j < 4; j++) v[j] = b[(k + kk) * (n / 2) + x + j];
#pragma unroll
      for (int i = 0; i < 8; i++) {
        __half2 u = __half2half2(a[(y + i) * n + k + kk]);
#pragma unroll
        for (int j = 0; j < 4; j++) acc[i][j] = __hfma2(u, v[j], acc[i][j]);
      }
    }
#pragma unroll
  for (int i = 0; i < 8; i++)
#pragma unroll
    for (int j = 0; j < 4; j++) c[(y + i) * (n / 2) + x + j] = acc[i][j];
}
