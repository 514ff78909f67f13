__device__ __forceinline__ double horner5(double x, const double *c) {
  double y = c[5];
  y = y * x + c[4];
  y = y * x + c[3];
  y = y * x + c[2];
  y = y * x + c[1];
  return y * x + c[0];
}

extern "C" __global__ void horner(double *y, const double *x, const double *c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = horner5(x[i], c);
}
