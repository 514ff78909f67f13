// y = A*x for a sparse matrix in compressed rows; one row per thread, rows may be empty.
extern "C" __global__ void spmv(const int *start, const int *column, const float *value, const float *x, float *y, int rows) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  float sum = 0.0f;
  for (int j = start[r], end = start[r + 1]; j < end; j++) sum += value[j] * x[column[j]];
  y[r] = sum;
}
