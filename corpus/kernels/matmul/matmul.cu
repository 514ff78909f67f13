// C = A * B with 8x8 tiles in shared memory; A is m x k, B is k x n, row by row; edges are padded with zeros.
#define T 8
extern "C" __global__ void matmul(const float *A, const float *B, float *C, int m, int n, int k) {
  __shared__ float a[T][T], b[T][T + 1];
  int x = threadIdx.x, y = threadIdx.y, col = blockIdx.x * T + x, row = blockIdx.y * T + y;
  float acc = 0.0f;
  for (int t = 0; t < k; t += T) {
    a[y][x] = row < m && t + x < k ? A[row * k + t + x] : 0.0f;
    b[y][x] = t + y < k && col < n ? B[(t + y) * n + col] : 0.0f;
    __syncthreads();
#pragma unroll
    for (int j = 0; j < T; j++) acc += a[y][j] * b[j][x];
    __syncthreads();
  }
  if (row < m && col < n) C[row * n + col] = acc;
}
