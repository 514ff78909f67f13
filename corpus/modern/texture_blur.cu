// A blur of a texture with filtering
extern "C" __global__ void k(float* out, cudaTextureObject_t t, int w, int h){
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
  if (x >= w || y >= h) return;
  float s = 0;
  for (int dy = -1; dy <= 1; dy++) for (int dx = -1; dx <= 1; dx++) s += tex2D<float>(t, x + dx + 0.5f, y + dy + 0.5f);
  out[y * w + x] = s / 9.0f;
}
