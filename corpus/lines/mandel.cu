#include "warp.h"
__device__ __forceinline__ int escape(Complex c) {
  Complex z = {0, 0};
  for (int i = 0; i < 100; i++) {
    z = z * z + c;
    if (z.re * z.re + z.im * z.im > 4.0f)
      return i;
  }
  return 100;
}

extern "C" __global__ void mandel(int *out, int width) {
  int i = global_index();
  Complex c = {(i % width) * 0.01f - 2.0f, (i / width) * 0.01f - 1.0f};
  out[i] = escape(c);
}
