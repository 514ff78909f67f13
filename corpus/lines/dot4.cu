#include "warp.h"
extern "C" __global__ void dot4(float *out, const float4 *a, const float4 *b) {
  int i = global_index();
  float4 x = a[i];
  float4 y = b[i];
  float d = x.x * y.x;
  d += x.y * y.y;
  d += x.z * y.z;
  d += x.w * y.w;
  out[i] = warp_sum(d);
}
