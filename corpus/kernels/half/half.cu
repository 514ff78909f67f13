// Half precision: conversions, pairs, a fused multiply-add.
#include <cuda_fp16.h>
extern "C" __global__ void half_kernel(const __half *a, const __half *b, __half *out, float *wide, int *whole) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  __half2 x = __halves2half2(a[2 * i], a[2 * i + 1]), y = __halves2half2(b[2 * i], b[2 * i + 1]);
  __half2 *o = (__half2 *)out + 4 * i;
  o[0] = __hadd2_rn(x, y);
  o[1] = __hmul2_rn(x, y);
  o[2] = __hfma2(x, y, x);
  o[3] = __floats2half2_rn(__low2float(x) * 1000.0f, __high2float(y) * 0.0001f);
  wide[i] = __half2float(a[2 * i]) * 3.0f + __half2float(b[2 * i + 1]);
  whole[i] = __half2int_rz(a[2 * i]) * 1000 + __half2int_rn(__hsub(b[2 * i], a[2 * i + 1])) + (__hlt(a[2 * i], b[2 * i]) ? 100 : 0);
}
