// Grey from RGB bytes, and a 3x3 sharpening filter on the green channel with clamped borders and saturation.
__device__ int clampi(int v, int lo, int hi) { return v < lo ? lo : v > hi ? hi : v; }
extern "C" __global__ void image(const unsigned char *rgb, unsigned char *grey, unsigned char *sharp, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  const unsigned char *p = rgb + 3 * (y * width + x);
  grey[y * width + x] = (unsigned char)((77 * p[0] + 150 * p[1] + 29 * p[2] + 128) >> 8);
  int sum = 0;
  for (int dy = -1; dy <= 1; dy++)
    for (int dx = -1; dx <= 1; dx++) {
      int xx = clampi(x + dx, 0, width - 1), yy = clampi(y + dy, 0, height - 1);
      int g = rgb[3 * (yy * width + xx) + 1];
      sum += dx == 0 && dy == 0 ? 17 * g : -2 * g;
    }
  sharp[y * width + x] = (unsigned char)clampi(sum >> 0, 0, 255);
}
