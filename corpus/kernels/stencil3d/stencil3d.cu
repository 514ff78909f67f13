// Seven-point stencil: each thread marches along z and keeps three planes in registers.
extern "C" __global__ void stencil3d(const float *in, float *out, int nx, int ny, int nz, float a, float b) {
  int x = blockIdx.x * blockDim.x + threadIdx.x + 1, y = blockIdx.y * blockDim.y + threadIdx.y + 1;
  if (x >= nx - 1 || y >= ny - 1) return;
  size_t plane = (size_t)nx * ny, at = (size_t)y * nx + x;
  float below = in[at], here = in[at + plane];
  for (int z = 1; z < nz - 1; z++) {
    at += plane;
    float above = in[at + plane];
    out[at] = a * here + b * (below + above + in[at - 1] + in[at + 1] + in[at - nx] + in[at + nx]);
    below = here;
    here = above;
  }
}
