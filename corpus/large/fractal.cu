// A fractal by ray marching.
struct V { float x, y, z; };
__device__ V operator+(V a, V b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
__device__ V operator-(V a, V b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
__device__ V operator*(V a, V b) { return {a.x * b.x, a.y * b.y, a.z * b.z}; }
__device__ V operator*(V a, float s) { return {a.x * s, a.y * s, a.z * s}; }
__device__ float dot(V a, V b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
__device__ V unit(V a) { return a * rsqrtf(dot(a, a)); }
__device__ float bulb(V p, int rounds) {
  V z = p;
  float dr = 1, r = 0;
  for (int i = 0; i < rounds; i++) {
    r = sqrtf(dot(z, z));
    if (r > 2) break;
    float theta = acosf(z.z / r) * 8, phi = atan2f(z.y, z.x) * 8, zr = powf(r, 8);
    dr = powf(r, 7) * 8 * dr + 1;
    z = V{sinf(theta) * cosf(phi), sinf(theta) * sinf(phi), cosf(theta)} * zr + p;
  }
  return 0.5f * logf(r) * r / dr;
}
extern "C" __global__ void mandelbulb(uchar4 *image, int width, int height, V eye, int steps, int rounds) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  V d = unit({(x - width * 0.5f) / height, (y - height * 0.5f) / height, 1}), p = eye;
  float t = 0, e = 1;
  int i = 0;
  for (; i < steps && t < 10; i++) { p = eye + d * t; e = bulb(p, rounds); if (e < 1e-3f) break; t += e; }
  V n = {bulb(p + V{1e-3f, 0, 0}, rounds) - e, bulb(p + V{0, 1e-3f, 0}, rounds) - e, bulb(p + V{0, 0, 1e-3f}, rounds) - e};
  float light = e < 1e-3f ? fmaxf(dot(unit(n), unit({1, 1, -1})), 0.1f) : 0, g = powf(light, 1 / 2.2f);
  image[y * width + x] = make_uchar4(255 * g, 255 * g * (1 - (float)i / steps), 255 * sqrtf(g), 255);
}
