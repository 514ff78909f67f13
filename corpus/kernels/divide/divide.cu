// Correctly rounded division, reciprocal and square root in single precision, on all bit patterns.
extern "C" __global__ void divide(const float *a, const float *b, float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = a[i], y = b[i];
  out[4 * i] = x / y;
  out[4 * i + 1] = 1.0f / y;
  out[4 * i + 2] = sqrtf(x);
  out[4 * i + 3] = sqrtf(fabsf(y)) / (fabsf(x) + 1.0f);
}
