#include "warp.h"
extern "C" __global__ void saxpy(float *y, const float *x, float a, int n) {
  int i = global_index();
  if (i < n)
    y[i] = a * x[i] + y[i];
}
