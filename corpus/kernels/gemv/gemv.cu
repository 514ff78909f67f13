// y = A*x with x in dynamic shared memory; one warp per row, its lanes combined by shuffles.
extern "C" __global__ void gemv(const float *A, const float *x, float *y, int rows, int cols) {
  extern __shared__ float xs[];
  for (int j = threadIdx.x; j < cols; j += blockDim.x) xs[j] = x[j];
  __syncthreads();
  int lane = threadIdx.x & 31, warps = blockDim.x >> 5;
  for (int r = blockIdx.x * warps + (threadIdx.x >> 5); r < rows; r += gridDim.x * warps) {
    float s = 0.0f;
    for (int j = lane; j < cols; j += 32) s += A[r * cols + j] * xs[j];
    for (int d = 16; d > 0; d >>= 1) s += __shfl_xor_sync(0xffffffffu, s, d);
    if (lane == 0) y[r] = s;
  }
}
