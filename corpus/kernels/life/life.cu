// One generation of the game of life on a torus.
extern "C" __global__ void life(const unsigned char *in, unsigned char *out, unsigned width, unsigned height) {
  unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  unsigned l = (x + width - 1) % width, r = (x + 1) % width, u = (y + height - 1) % height, d = (y + 1) % height;
  int n = in[u * width + l] + in[u * width + x] + in[u * width + r] + in[y * width + l] + in[y * width + r] +
          in[d * width + l] + in[d * width + x] + in[d * width + r];
  out[y * width + x] = n == 3 || (n == 2 && in[y * width + x]);
}
