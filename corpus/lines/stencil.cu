#include "warp.h"
__device__ __forceinline__ float load(const float *field, int x, int y, int w, int h) {
  int cx = clamp(x, 0, w - 1);
  int cy = clamp(y, 0, h - 1);
  return field[cy * w + cx];
}

extern "C" __global__ void stencil(float *out, const float *in, int w, int h) {
  int x = global_index();
  int y = blockIdx.y;
  if (x >= w)
    return;
  float around = load(in, x - 1, y, w, h) + load(in, x + 1, y, w, h);
  around += load(in, x, y - 1, w, h);
  around += load(in, x, y + 1, w, h);
  out[y * w + x] = 0.25f * around;
}
