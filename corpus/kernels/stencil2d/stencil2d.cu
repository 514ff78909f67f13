// Five-point stencil with a halo in shared memory; the border of the field is copied.
#define BX 16
#define BY 4
extern "C" __global__ void stencil2d(const float *in, float *out, int width, int height, float c) {
  __shared__ float t[BY + 2][BX + 2];
  int x = blockIdx.x * BX + threadIdx.x, y = blockIdx.y * BY + threadIdx.y;
  int lx = threadIdx.x + 1, ly = threadIdx.y + 1;
  bool inside = x < width && y < height;
  if (inside) {
    t[ly][lx] = in[y * width + x];
    if (threadIdx.x == 0 && x > 0) t[ly][0] = in[y * width + x - 1];
    if (threadIdx.x == BX - 1 && x + 1 < width) t[ly][BX + 1] = in[y * width + x + 1];
    if (threadIdx.y == 0 && y > 0) t[0][lx] = in[(y - 1) * width + x];
    if (threadIdx.y == BY - 1 && y + 1 < height) t[BY + 1][lx] = in[(y + 1) * width + x];
  }
  __syncthreads();
  if (!inside) return;
  float v = t[ly][lx];
  if (x > 0 && y > 0 && x + 1 < width && y + 1 < height)
    v += c * (t[ly][lx - 1] + t[ly][lx + 1] + t[ly - 1][lx] + t[ly + 1][lx] - 4.0f * v);
  out[y * width + x] = v;
}
