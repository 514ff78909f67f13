template <int T>
__device__ __forceinline__ float row_times_column(float (*a)[T], float (*b)[T], float sum) {
#pragma unroll
  for (int k = 0; k < T; k++)
    sum += a[threadIdx.y][k] * b[k][threadIdx.x];
  return sum;
}

extern "C" __global__ void matmul(float *c, const float *a, const float *b, int n) {
  __shared__ float sa[8][8];
  __shared__ float sb[8][8];
  int row = blockIdx.y * 8 + threadIdx.y;
  int column = blockIdx.x * 8 + threadIdx.x;
  float sum = 0;
  for (int t = 0; t < n; t += 8) {
    sa[threadIdx.y][threadIdx.x] = a[row * n + t + threadIdx.x];
    sb[threadIdx.y][threadIdx.x] = b[(t + threadIdx.y) * n + column];
    __syncthreads();
    sum = row_times_column<8>(sa, sb, sum);
    __syncthreads();
  }
  c[row * n + column] = sum;
}
