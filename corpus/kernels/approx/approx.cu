// The fast approximations, in ranges where their documented errors are small in units of the result.
extern "C" __global__ void approx(const float *x, const float *y, float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float a = x[i], b = y[i];
  out[8 * i] = __sinf(a);
  out[8 * i + 1] = __cosf(a);
  out[8 * i + 2] = __expf(a);
  out[8 * i + 3] = __logf(b);
  out[8 * i + 4] = __fdividef(a, b);
  out[8 * i + 5] = rsqrtf(b);
  out[8 * i + 6] = __powf(b, a);
  out[8 * i + 7] = exp2f(a) + log2f(b) + __frcp_rn(a) * __fsqrt_rn(b);
}
