// Dot product in double precision of floats and doubles, combined by shuffles of 64-bit values, and its rounding to float and int.
extern "C" __global__ void dot64(const float *x, const double *y, double *dot, float *rounded, int *whole, int n) {
  int lane = threadIdx.x & 31, w = (blockIdx.x * blockDim.x + threadIdx.x) >> 5, warps = gridDim.x * blockDim.x >> 5;
  double s = 0.0;
  for (int j = w * 32 + lane; j < n; j += warps * 32) s += (double)x[j] * y[j];
  for (int d = 16; d > 0; d >>= 1) s += __shfl_down_sync(0xffffffffu, s, d);
  if (lane == 0) {
    dot[w] = s;
    rounded[w] = (float)s;
    whole[w] = s > 0.0 ? (int)s : __double2int_rn(-s);
  }
}
