template <int N>
struct Tile {
  float cells[N][N + 1];
  __device__ __forceinline__ float &at(int row, int column) { return cells[row][column]; }
};

extern "C" __global__ void transpose(float *out, const float *in, int width) {
  __shared__ Tile<16> tile;
  int x = blockIdx.x * 16 + threadIdx.x;
  int y = blockIdx.y * 16 + threadIdx.y;
  tile.at(threadIdx.y, threadIdx.x) = in[y * width + x];
  __syncthreads();
  int tx = blockIdx.y * 16 + threadIdx.x;
  int ty = blockIdx.x * 16 + threadIdx.y;
  out[ty * width + tx] = tile.at(threadIdx.x, threadIdx.y);
}
