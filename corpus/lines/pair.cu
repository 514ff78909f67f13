#include "warp.h"
__device__ __forceinline__ float norm(float x, float y) {
  float s = x * x;
  s += y * y;
  return s;
}

extern "C" __global__ void first(float *out, const float *in) {
  int i = global_index();
  out[i] = norm(in[2 * i], in[2 * i + 1]);
}

extern "C" __global__ void second(float *out, const float *in, float limit) {
  int i = global_index();
  float n = norm(in[i], in[i + 32]);
  out[i] = clamp(n, 0.0f, limit);
}
