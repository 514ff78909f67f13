// Tensor units: products of f16, bf16, tf32 and s8 through shared memory, filled by asynchronous copies and read with ldmatrix.
#include <stdint.h>

__device__ uint32_t place(const void *p) { return (uint32_t)__cvta_generic_to_shared(p); }
__device__ void copy16(void *to, const void *from) { asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(place(to)), "l"(from)); }
__device__ void commit() { asm volatile("cp.async.commit_group;"); }
template <int N> __device__ void wait() { asm volatile("cp.async.wait_group %0;" ::"n"(N) : "memory"); }
__device__ void ldmatrix4(uint32_t (&r)[4], const void *p) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(place(p)) : "memory");
}
__device__ void ldmatrix4t(uint32_t (&r)[4], const void *p) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(place(p)) : "memory");
}
__device__ void mma_f16(float (&d)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
__device__ void mma_bf16(float (&d)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
__device__ void mma_tf32(float (&d)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1) {
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
__device__ void mma_s8(int (&d)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1) {
  asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};" : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

// A warp makes 64x64 of 128x128; two stages of 32 columns are under way.
template <bool BRAIN> __device__ void product16(float *c, const uint16_t *a, const uint16_t *b, int n) {
  __shared__ __align__(16) uint16_t sa[2][128][40], sb[2][32][136];
  int t = threadIdx.x, lane = t % 32, wy = t / 64 * 64, wx = t / 32 % 2 * 64;
  float acc[4][8][4] = {};
  auto fetch = [&](int stage, int k) {
#pragma unroll
    for (int i = 0; i < 4; i++) {
      int at = t + i * 128;
      copy16(&sa[stage][at / 4][at % 4 * 8], a + (size_t)(blockIdx.y * 128 + at / 4) * n + k + at % 4 * 8);
      copy16(&sb[stage][at / 16][at % 16 * 8], b + (size_t)(k + at / 16) * n + blockIdx.x * 128 + at % 16 * 8);
    }
    commit();
  };
  fetch(0, 0);
  for (int k = 0, stage = 0; k < n; k += 32, stage ^= 1) {
    wait<0>();
    __syncthreads();
    if (k + 32 < n) fetch(stage ^ 1, k + 32);
#pragma unroll
    for (int kk = 0; kk < 32; kk += 16) {
      uint32_t fa[4][4], fb[4][4];
#pragma unroll
      for (int i = 0; i < 4; i++) {
        ldmatrix4(fa[i], &sa[stage][wy + i * 16 + lane % 16][kk + lane / 16 * 8]);
        ldmatrix4t(fb[i], &sb[stage][kk + lane % 16][wx + i * 16 + lane / 16 * 8]);
      }
#pragma unroll
      for (int i = 0; i < 4; i++)
#pragma unroll
        for (int j = 0; j < 8; j++)
          if (BRAIN) mma_bf16(acc[i][j], fa[i], fb[j / 2][j % 2 * 2], fb[j / 2][j % 2 * 2 + 1]);
          else mma_f16(acc[i][j], fa[i], fb[j / 2][j % 2 * 2], fb[j / 2][j % 2 * 2 + 1]);
    }
  }
#pragma unroll
  for (int i = 0; i < 4; i++)
#pragma unroll
    for (int j = 0; j < 8; j++) {
      float *p = c + (size_t)(blockIdx.y * 128 + wy + i * 16 + lane / 4) * n + blockIdx.x * 128 + wx + j * 8 + lane % 4 * 2;
      *(float2 *)p = {acc[i][j][0], acc[i][j][1]};
      *(float2 *)(p + 8 * n) = {acc[i][j][2], acc[i][j][3]};
    }
}
extern "C" __global__ void __launch_bounds__(128) product_f16(float *c, const uint16_t *a, const uint16_t *b, int n) { product16<false>(c, a, b, n); }
extern "C" __global__ void __launch_bounds__(128) product_bf16(float *c, const uint16_t *a, const uint16_t *b, int n) { product16<true>(c, a, b, n); }

extern "C" __global__ void __launch_bounds__(128) product_tf32(float *c, const float *a, const float *b, int n) {
  __shared__ float sa[64][20], sb[16][72];
  int t = threadIdx.x, lane = t % 32, wy = t / 64 * 32, wx = t / 32 % 2 * 32;
  float acc[2][4][4] = {};
  for (int k = 0; k < n; k += 16) {
#pragma unroll
    for (int i = 0; i < 8; i++) {
      int at = t + i * 128;
      uint32_t x, y;
      asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(x) : "f"(a[(blockIdx.y * 64 + at / 16) * n + k + at % 16]));
      asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(y) : "f"(b[(k + at / 64) * n + blockIdx.x * 64 + at % 64]));
      sa[at / 16][at % 16] = __uint_as_float(x), sb[at / 64][at % 64] = __uint_as_float(y);
    }
    __syncthreads();
#pragma unroll
    for (int kk = 0; kk < 16; kk += 8) {
      uint32_t fa[2][4], fb[4][2];
#pragma unroll
      for (int i = 0; i < 2; i++)
#pragma unroll
        for (int j = 0; j < 4; j++) fa[i][j] = __float_as_uint(sa[wy + i * 16 + lane / 4 + j % 2 * 8][kk + lane % 4 + j / 2 * 4]);
#pragma unroll
      for (int j = 0; j < 4; j++)
#pragma unroll
        for (int h = 0; h < 2; h++) fb[j][h] = __float_as_uint(sb[kk + lane % 4 + h * 4][wx + j * 8 + lane / 4]);
#pragma unroll
      for (int i = 0; i < 2; i++)
#pragma unroll
        for (int j = 0; j < 4; j++) mma_tf32(acc[i][j], fa[i], fb[j][0], fb[j][1]);
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < 2; i++)
#pragma unroll
    for (int j = 0; j < 4; j++)
#pragma unroll
      for (int h = 0; h < 4; h++) c[(blockIdx.y * 64 + wy + i * 16 + lane / 4 + h / 2 * 8) * n + blockIdx.x * 64 + wx + j * 8 + lane % 4 * 2 + h % 2] = acc[i][j][h];
}

extern "C" __global__ void __launch_bounds__(128) product_s8(int8_t *c, const int8_t *a, const int8_t *b, const float *scale, const int *bias, int n) {
  __shared__ __align__(16) int8_t sa[2][64][80], sb[2][64][80];
  int t = threadIdx.x, lane = t % 32, wy = t / 64 * 32, wx = t / 32 % 2 * 32, acc[2][4][4] = {};
  auto fetch = [&](int stage, int k) {
#pragma unroll
    for (int i = 0; i < 2; i++) {
      int at = t + i * 128;
      copy16(&sa[stage][at / 4][at % 4 * 16], a + (blockIdx.y * 64 + at / 4) * n + k + at % 4 * 16);
      copy16(&sb[stage][at / 4][at % 4 * 16], b + (blockIdx.x * 64 + at / 4) * n + k + at % 4 * 16);
    }
    commit();
  };
  fetch(0, 0);
  for (int k = 0, s = 0; k < n; k += 64, s ^= 1) {
    if (k + 64 < n) fetch(s ^ 1, k + 64);
    else commit();
    wait<1>();
    __syncthreads();
#pragma unroll
    for (int kk = 0; kk < 64; kk += 32) {
      uint32_t fa[2][4], fb[2][4];
#pragma unroll
      for (int i = 0; i < 2; i++) {
        ldmatrix4(fa[i], &sa[s][wy + i * 16 + lane % 16][kk + lane / 16 * 16]);
        ldmatrix4(fb[i], &sb[s][wx + i * 16 + lane % 8 + lane / 16 * 8][kk + lane / 8 % 2 * 16]);
      }
#pragma unroll
      for (int i = 0; i < 2; i++)
#pragma unroll
        for (int j = 0; j < 4; j++) mma_s8(acc[i][j], fa[i], fb[j / 2][j % 2 * 2], fb[j / 2][j % 2 * 2 + 1]);
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < 2; i++)
#pragma unroll
    for (int j = 0; j < 4; j++)
#pragma unroll
      for (int h = 0; h < 4; h++) {
        int row = blockIdx.y * 64 + wy + i * 16 + lane / 4 + h / 2 * 8, col = blockIdx.x * 64 + wx + j * 8 + lane % 4 * 2 + h % 2;
        int v = __float2int_rn((acc[i][j][h] + bias[col]) * scale[col]);
        c[row * n + col] = (int8_t)max(-128, min(127, v));
      }
}
