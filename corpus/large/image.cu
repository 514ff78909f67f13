// Pictures: noise in octaves, a bilateral filter, colours to Lab.
#include <stdint.h>
__device__ float gradient(uint32_t h, float x, float y, float z) { h &= 15; float u = h < 8 ? x : y, v = h < 4 ? y : h == 12 || h == 14 ? x : z; return (h & 1 ? -u : u) + (h & 2 ? -v : v); }
__device__ float noise(float x, float y, float z, const uint8_t *perm) {
  int xi = (int)floorf(x) & 255, yi = (int)floorf(y) & 255, zi = (int)floorf(z) & 255;
  x -= floorf(x), y -= floorf(y), z -= floorf(z);
  float u = x * x * x * (x * (x * 6 - 15) + 10), v = y * y * y * (y * (y * 6 - 15) + 10), w = z * z * z * (z * (z * 6 - 15) + 10), g[8];
#pragma unroll
  for (int i = 0; i < 8; i++) g[i] = gradient(perm[(perm[(perm[(xi + (i & 1)) & 255] + yi + (i >> 1 & 1)) & 255] + zi + (i >> 2)) & 255], x - (i & 1), y - (i >> 1 & 1), z - (i >> 2));
  float a = g[0] + u * (g[1] - g[0]), b = g[2] + u * (g[3] - g[2]), c = g[4] + u * (g[5] - g[4]), d = g[6] + u * (g[7] - g[6]);
  a += v * (b - a), c += v * (d - c);
  return a + w * (c - a);
}
extern "C" __global__ void clouds(float *out, const uint8_t *perm, int width, float scale, float time) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
  float sum = 0, size = 0.5f, f = scale;
#pragma unroll
  for (int i = 0; i < 5; i++) { sum += size * noise(x * f, y * f, time * f, perm); size *= 0.5f, f *= 2.03f; }
  out[y * width + x] = sum;
}
extern "C" __global__ void bilateral(float *out, const float *in, int width, int height, float space, float range) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  float mid = in[y * width + x], sum = 0, weight = 0;
#pragma unroll
  for (int i = -3; i <= 3; i++)
#pragma unroll
    for (int j = -3; j <= 3; j++) {
      float v = in[min(max(y + i, 0), height - 1) * width + min(max(x + j, 0), width - 1)], d = v - mid, w = expf(-(i * i + j * j) * space - d * d * range);
      sum += w * v, weight += w;
    }
  out[y * width + x] = sum / weight;
}
extern "C" __global__ void rgb_to_lab(float *lab, const uchar4 *in, int n) {
  int t = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
#pragma unroll
  for (int i = 0; i < 4; i++) {
    if (t + i >= n) return;
    uchar4 p = in[t + i];
    float c[3] = {p.x / 255.0f, p.y / 255.0f, p.z / 255.0f}, f[3];
#pragma unroll
    for (int k = 0; k < 3; k++) c[k] = c[k] > 0.04045f ? powf((c[k] + 0.055f) / 1.055f, 2.4f) : c[k] / 12.92f;
    float x = (0.4124f * c[0] + 0.3576f * c[1] + 0.1805f * c[2]) / 0.95047f, y = 0.2126f * c[0] + 0.7152f * c[1] + 0.0722f * c[2], z = (0.0193f * c[0] + 0.1192f * c[1] + 0.9505f * c[2]) / 1.08883f, v[3] = {x, y, z};
#pragma unroll
    for (int k = 0; k < 3; k++) f[k] = v[k] > 0.008856f ? cbrtf(v[k]) : 7.787f * v[k] + 16 / 116.0f;
    lab[(t + i) * 3] = 116 * f[1] - 16, lab[(t + i) * 3 + 1] = 500 * (f[0] - f[1]), lab[(t + i) * 3 + 2] = 200 * (f[1] - f[2]);
  }
}
