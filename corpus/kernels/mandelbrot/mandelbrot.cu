// Iteration counts of z*z + c; each pixel leaves its loop when it escapes.
extern "C" __global__ void mandelbrot(int *count, int width, int height, float x0, float y0, float step, int limit) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  float cx = x0 + x * step, cy = y0 + y * step, zx = 0.0f, zy = 0.0f;
  int k = 0;
  while (k < limit && zx * zx + zy * zy <= 4.0f) {
    float t = zx * zx - zy * zy + cx;
    zy = 2.0f * zx * zy + cy;
    zx = t;
    k++;
  }
  count[y * width + x] = k;
}
