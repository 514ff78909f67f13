// Transposes a matrix by 16x16 tiles: vector loads of four floats, a padded tile in shared memory, vector stores.
extern "C" __global__ void transpose(const float4 *in, float4 *out, int rows, int cols) {
  __shared__ float tile[16][17];
  int x = threadIdx.x, y = threadIdx.y;
  float4 v = in[((blockIdx.y * 16 + y) * cols + blockIdx.x * 16) / 4 + x];
  tile[y][4 * x] = v.x;
  tile[y][4 * x + 1] = v.y;
  tile[y][4 * x + 2] = v.z;
  tile[y][4 * x + 3] = v.w;
  __syncthreads();
  v = make_float4(tile[4 * x][y], tile[4 * x + 1][y], tile[4 * x + 2][y], tile[4 * x + 3][y]);
  out[((blockIdx.x * 16 + y) * rows + blockIdx.y * 16) / 4 + x] = v;
}
