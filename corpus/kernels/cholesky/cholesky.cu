// Cholesky factor of a 4x4 matrix per thread, unrolled: correctly rounded division and square root among multiply-adds.
extern "C" __global__ void cholesky(const float *in, float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float l[4][4];
#pragma unroll
  for (int r = 0; r < 4; r++)
#pragma unroll
    for (int c = 0; c <= r; c++) {
      float s = in[16 * i + 4 * r + c];
      if (r == c) s = s * s + 8.0f;
#pragma unroll
      for (int k = 0; k < c; k++) s -= l[r][k] * l[c][k];
      l[r][c] = r == c ? sqrtf(s) : s / l[c][c];
      out[16 * i + 4 * r + c] = l[r][c];
    }
}
