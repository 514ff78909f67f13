// Pull of bodies (position and mass in a float4) on probes, and the potential there, by tiles in shared memory.
// Bodies lie beyond the probes in every coordinate, so that no sum cancels.
extern "C" __global__ void nbody(const float4 *bodies, const float4 *probes, float4 *pull, int n) {
  __shared__ float4 tile[32];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float4 me = probes[i], f = make_float4(0, 0, 0, 0);
  for (int base = 0; base < n; base += blockDim.x) {
    tile[threadIdx.x] = bodies[base + threadIdx.x];
    __syncthreads();
    for (int j = 0; j < blockDim.x; j++) {
      float4 b = tile[j];
      float dx = b.x - me.x, dy = b.y - me.y, dz = b.z - me.z;
      float r = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f);
      float s = b.w * r, q = s * r * r;
      f.x += dx * q;
      f.y += dy * q;
      f.z += dz * q;
      f.w += s;
    }
    __syncthreads();
  }
  pull[i] = f;
}
