// Convolutions: 3x3 over 8 channels at once, Winograd F(4x4, 3x3) input and output transforms, and a depthwise 7x7 with its activation.
extern "C" __global__ void __launch_bounds__(128) conv3x3(float *out, const float *in, const float *w, int width, int height, int channels) {
  __shared__ float sw[8][9];
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * 4;
  float acc[8][4] = {};
  for (int c = 0; c < channels; c++) {
    __syncthreads();
    if (threadIdx.x < 72) sw[threadIdx.x / 9][threadIdx.x % 9] = w[((blockIdx.z * 8 + threadIdx.x / 9) * channels + c) * 9 + threadIdx.x % 9];
    __syncthreads();
    float v[6][3];
#pragma unroll
    for (int i = 0; i < 6; i++)
#pragma unroll
      for (int j = 0; j < 3; j++) {
        int yy = y + i - 1, xx = x + j - 1;
        v[i][j] = yy >= 0 && yy < height && xx >= 0 && xx < width ? in[(c * height + yy) * width + xx] : 0.0f;
      }
#pragma unroll
    for (int o = 0; o < 8; o++)
#pragma unroll
      for (int r = 0; r < 4; r++)
#pragma unroll
        for (int i = 0; i < 3; i++)
#pragma unroll
          for (int j = 0; j < 3; j++) acc[o][r] += sw[o][i * 3 + j] * v[r + i][j];
  }
#pragma unroll
  for (int o = 0; o < 8; o++)
#pragma unroll
    for (int r = 0; r < 4; r++)
      if (x < width && y + r < height) out[((blockIdx.z * 8 + o) * height + y + r) * width + x] = fmaxf(acc[o][r], 0.0f);
}

__device__ void winograd_in(float &a, float &b, float &c, float &d, float &e, float &f) {
  float x = d - 4 * b, y = e - 4 * c, z = d - b, u = e - c;
  float a0 = 4 * a - 5 * c + e, f0 = 4 * b - 5 * d + f;
  a = a0, f = f0, b = x + y, c = y - x, d = 2 * z + u, e = u - 2 * z;
}
extern "C" __global__ void winograd_input(float *out, const float *in, int width, int tiles) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  float v[6][6];
#pragma unroll
  for (int i = 0; i < 6; i++)
#pragma unroll
    for (int j = 0; j < 6; j++) v[i][j] = in[(t / tiles * 4 + i) * width + t % tiles * 4 + j];
#pragma unroll
  for (int i = 0; i < 6; i++) winograd_in(v[i][0], v[i][1], v[i][2], v[i][3], v[i][4], v[i][5]);
#pragma unroll
  for (int i = 0; i < 6; i++) winograd_in(v[0][i], v[1][i], v[2][i], v[3][i], v[4][i], v[5][i]);
#pragma unroll
  for (int i = 0; i < 36; i++) out[i * tiles * tiles + t] = v[i / 6][i % 6];
}

extern "C" __global__ void depthwise7(float *out, const float *in, const float *w, int width, int height) {
  int x = (blockIdx.x * blockDim.x + threadIdx.x) * 4, y = blockIdx.y, c = blockIdx.z;
  if (x >= width) return;
  float acc[4] = {};
#pragma unroll
  for (int i = -3; i <= 3; i++) {
    int yy = y + i;
    if (yy < 0 || yy >= height) continue;
    float row[10];
#pragma unroll
    for (int j = 0; j < 10; j++) { int xx = x + j - 3; row[j] = xx >= 0 && xx < width ? __ldg(in + (c * height + yy) * width + xx) : 0.0f; }
#pragma unroll
    for (int j = 0; j < 7; j++)
#pragma unroll
      for (int k = 0; k < 4; k++) acc[k] += row[j + k] * __ldg(w + c * 49 + (i + 3) * 7 + j);
  }
#pragma unroll
  for (int k = 0; k < 4; k++)
    if (x + k < width) out[(c * height + y) * width + x + k] = 0.5f * acc[k] * (1 + erff(acc[k] * 0.70710678f));
}
