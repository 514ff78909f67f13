// Layers of neural networks: softmax and layer norm over packed halves, rotary embeddings, GELU backwards, Adam, quantised products, a recurrent cell, attention for one query.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <stdint.h>
template <class T> __device__ T reduce(T x, T *shared, bool largest) {
#pragma unroll
  for (int o = 16; o; o /= 2) { T y = __shfl_xor_sync(~0u, x, o); x = largest ? (x > y ? x : y) : x + y; }
  __syncthreads();
  if (threadIdx.x % 32 == 0) shared[threadIdx.x / 32] = x;
  __syncthreads();
  T r = shared[0];
  for (unsigned i = 1; i < blockDim.x / 32; i++) r = largest ? (r > shared[i] ? r : shared[i]) : r + shared[i];
  return r;
}
extern "C" __global__ void __launch_bounds__(256) softmax_half(uint4 *out, const uint4 *in, int n) {
  __shared__ float s[8];
  float v[4][8], top = -INFINITY, sum = 0;
#pragma unroll
  for (int i = 0; i < 4; i++) {
    int at = threadIdx.x + i * 256;
    uint4 x = at * 8 < n ? in[blockIdx.x * (n / 8) + at] : uint4{0xfc00fc00, 0xfc00fc00, 0xfc00fc00, 0xfc00fc00};
    uint32_t w[4] = {x.x, x.y, x.z, x.w};
#pragma unroll
    for (int j = 0; j < 4; j++) { float2 f = __half22float2(*(__half2 *)&w[j]); v[i][j * 2] = f.x, v[i][j * 2 + 1] = f.y; top = fmaxf(top, fmaxf(f.x, f.y)); }
  }
  top = reduce(top, s, true);
#pragma unroll
  for (int i = 0; i < 4; i++)
#pragma unroll
    for (int j = 0; j < 8; j++) sum += v[i][j] = __expf(v[i][j] - top);
  sum = 1 / reduce(sum, s, false);
#pragma unroll
  for (int i = 0; i < 4; i++) {
    int at = threadIdx.x + i * 256;
    uint32_t w[4];
#pragma unroll
    for (int j = 0; j < 4; j++) { __half2 h = __floats2half2_rn(v[i][j * 2] * sum, v[i][j * 2 + 1] * sum); w[j] = *(uint32_t *)&h; }
    if (at * 8 < n) out[blockIdx.x * (n / 8) + at] = {w[0], w[1], w[2], w[3]};
  }
}
extern "C" __global__ void __launch_bounds__(256) layernorm_backward(float *dx, float *dgamma, float *dbeta, const __nv_bfloat162 *dy, const __nv_bfloat162 *x, const float *gamma, int n) {
  __shared__ float s[8];
  float g[8][2], h[8][2], sum = 0, square = 0;
#pragma unroll
  for (int i = 0; i < 8; i++) {
    int at = blockIdx.x * n / 2 + threadIdx.x + i * 256;
    float2 a = __bfloat1622float2(x[at]), b = __bfloat1622float2(dy[at]);
    h[i][0] = a.x, h[i][1] = a.y, g[i][0] = b.x, g[i][1] = b.y, sum += a.x + a.y;
  }
  float mean = reduce(sum, s, false) / n;
#pragma unroll
  for (int i = 0; i < 8; i++)
#pragma unroll
    for (int j = 0; j < 2; j++) h[i][j] -= mean, square += h[i][j] * h[i][j];
  float inv = rsqrtf(reduce(square, s, false) / n + 1e-5f), a = 0, b = 0;
#pragma unroll
  for (int i = 0; i < 8; i++)
#pragma unroll
    for (int j = 0; j < 2; j++) {
      int c = (threadIdx.x + i * 256) * 2 + j;
      h[i][j] *= inv;
      atomicAdd(dgamma + c, g[i][j] * h[i][j]), atomicAdd(dbeta + c, g[i][j]);
      g[i][j] *= gamma[c], a += g[i][j], b += g[i][j] * h[i][j];
    }
  a = reduce(a, s, false) / n, b = reduce(b, s, false) / n;
#pragma unroll
  for (int i = 0; i < 8; i++)
#pragma unroll
    for (int j = 0; j < 2; j++) dx[blockIdx.x * n + (threadIdx.x + i * 256) * 2 + j] = inv * (g[i][j] - a - h[i][j] * b);
}
extern "C" __global__ void gelu_backward(__half2 *dx, const __half2 *dy, const __half2 *x, int n) {
  int t = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
#pragma unroll
  for (int i = 0; i < 4; i++) {
    if (t + i >= n) return;
    float2 a = __half22float2(x[t + i]), b = __half22float2(dy[t + i]);
    float u[2] = {a.x, a.y}, v[2] = {b.x, b.y};
#pragma unroll
    for (int j = 0; j < 2; j++) { float p = 0.5f * (1 + erff(u[j] * 0.70710678f)), d = 0.39894228f * expf(-0.5f * u[j] * u[j]); v[j] *= p + u[j] * d; }
    dx[t + i] = __floats2half2_rn(v[0], v[1]);
  }
}
struct Adam { float rate, beta1, beta2, epsilon, decay; int step; };
extern "C" __global__ void adam(__nv_bfloat16 *weight, float *master, float *m, float *v, const __nv_bfloat16 *gradient, Adam o, int n) {
  int t = (blockIdx.x * blockDim.x + threadIdx.x) * 8;
  float c1 = 1 - powf(o.beta1, o.step), c2 = 1 - powf(o.beta2, o.step);
#pragma unroll
  for (int i = 0; i < 8; i++)
    if (t + i < n) {
      float g = __bfloat162float(gradient[t + i]), w = master[t + i], a = m[t + i] = o.beta1 * m[t + i] + (1 - o.beta1) * g, b = v[t + i] = o.beta2 * v[t + i] + (1 - o.beta2) * g * g;
      w -= o.rate * (a / c1 / (sqrtf(b / c2) + o.epsilon) + o.decay * w);
      master[t + i] = w, weight[t + i] = __float2bfloat16(w);
    }
}
struct Q4 { __half d, m; uint8_t scales[12], q[128]; };
extern "C" __global__ void dot_q4k(float *y, const Q4 *w, const int8_t *x, const float2 *sx, int blocks, int rows) {
  int row = blockIdx.x * blockDim.y + threadIdx.y;
  if (row >= rows) return;
  float sum = 0;
  for (int b = threadIdx.x; b < blocks; b += 32) {
    const Q4 &q = w[row * blocks + b];
    float d = __half2float(q.d), low = __half2float(q.m);
#pragma unroll
    for (int j = 0; j < 8; j++) {
      int sc = j < 4 ? q.scales[j] & 63 : (q.scales[j + 4] & 15) | (q.scales[j - 4] >> 6) << 4, mn = j < 4 ? q.scales[j + 4] & 63 : q.scales[j + 4] >> 4 | (q.scales[j] >> 6) << 4, a = 0;
#pragma unroll
      for (int i = 0; i < 8; i++) a = __dp4a(*(const int *)(q.q + j / 2 * 32 + i * 4) >> j % 2 * 4 & 0x0f0f0f0f, *(const int *)(x + b * 256 + j * 32 + i * 4), a);
      float2 s = sx[b * 8 + j];
      sum += d * sc * s.x * a - low * mn * s.y;
    }
  }
#pragma unroll
  for (int o = 16; o; o /= 2) sum += __shfl_xor_sync(~0u, sum, o);
  if (threadIdx.x == 0) y[row] = sum;
}
extern "C" __global__ void lstm_cell(float *h, float *c, const float4 *w, const float *x, const float4 *bias, int inputs, int units, int steps) {
  extern __shared__ float s[];
  int u = threadIdx.x;
  float cell = c[blockIdx.x * units + u], out = h[blockIdx.x * units + u];
  for (int t = 0; t < steps; t++) {
    __syncthreads();
    if (u < inputs) s[u] = x[(blockIdx.x * steps + t) * inputs + u];
    s[inputs + u] = out;
    __syncthreads();
    float4 g = bias[u];
#pragma unroll 8
    for (int i = 0; i < inputs + units; i++) { float4 k = w[i * units + u]; g.x += k.x * s[i], g.y += k.y * s[i], g.z += k.z * s[i], g.w += k.w * s[i]; }
    float in = 1 / (1 + expf(-g.x)), forget = 1 / (1 + expf(-g.y)), gate = 1 / (1 + expf(-g.z));
    cell = forget * cell + in * tanhf(g.w), out = gate * tanhf(cell);
  }
  h[blockIdx.x * units + u] = out, c[blockIdx.x * units + u] = cell;
}
extern "C" __global__ void __launch_bounds__(128) decode_attention(float *out, const float *q, const __half2 *k, const __half2 *v, const int *pages, int length, int heads, float scale) {
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32, head = blockIdx.x;
  __shared__ float tops[4], sums[4], parts[4][128];
  float query[4], acc[4] = {}, top = -INFINITY, sum = 0;
#pragma unroll
  for (int i = 0; i < 4; i++) query[i] = q[head * 128 + lane * 4 + i] * scale;
  for (int p = warp * 4; p < length; p += 16) {
    float score[4];
#pragma unroll
    for (int j = 0; j < 4; j++) {
      size_t at = ((size_t)pages[(p + j) / 16] * 16 + (p + j) % 16) * heads * 64 + head * 64 + lane * 2;
      float2 a = __half22float2(k[at]), b = __half22float2(k[at + 1]);
      score[j] = query[0] * a.x + query[1] * a.y + query[2] * b.x + query[3] * b.y;
#pragma unroll
      for (int o = 16; o; o /= 2) score[j] += __shfl_xor_sync(~0u, score[j], o);
      if (p + j >= length) score[j] = -INFINITY;
    }
    float now = fmaxf(fmaxf(fmaxf(score[0], score[1]), fmaxf(score[2], score[3])), top), old = __expf(top - now);
    sum *= old, top = now;
#pragma unroll
    for (int i = 0; i < 4; i++) acc[i] *= old;
#pragma unroll
    for (int j = 0; j < 4; j++) {
      size_t at = ((size_t)pages[(p + j) / 16] * 16 + (p + j) % 16) * heads * 64 + head * 64 + lane * 2;
      float2 a = __half22float2(v[at]), b = __half22float2(v[at + 1]);
      float e = __expf(score[j] - top);
      sum += e, acc[0] += e * a.x, acc[1] += e * a.y, acc[2] += e * b.x, acc[3] += e * b.y;
    }
  }
  if (lane == 0) tops[warp] = top, sums[warp] = sum;
#pragma unroll
  for (int i = 0; i < 4; i++) parts[warp][lane * 4 + i] = acc[i];
  __syncthreads();
  float t = fmaxf(fmaxf(tops[0], tops[1]), fmaxf(tops[2], tops[3])), all = 0, r = 0;
#pragma unroll
  for (int w = 0; w < 4; w++) { float e = __expf(tops[w] - t); all += e * sums[w], r += e * parts[w][threadIdx.x]; }
  out[head * 128 + threadIdx.x] = r / all;
}
