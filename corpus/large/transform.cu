// Transforms in registers: a complex FFT of radix 16 in f32, of radix 8 in f64, a DCT of 8x8, a Walsh-Hadamard transform of 64.
template <class T> struct Complex { T re, im; };
template <class T> __device__ Complex<T> operator+(Complex<T> a, Complex<T> b) { return {a.re + b.re, a.im + b.im}; }
template <class T> __device__ Complex<T> operator-(Complex<T> a, Complex<T> b) { return {a.re - b.re, a.im - b.im}; }
template <class T> __device__ Complex<T> operator*(Complex<T> a, Complex<T> b) { return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}; }

template <class T, int N> __device__ void fft(Complex<T> (&v)[N]) {
#pragma unroll
  for (int size = N; size > 1; size /= 2)
#pragma unroll
    for (int base = 0; base < N; base += size)
#pragma unroll
      for (int i = 0; i < size / 2; i++) {
        constexpr double c16[8] = {1, 0.92387953251128674, 0.70710678118654752, 0.38268343236508977, 0, -0.38268343236508977, -0.70710678118654752, -0.92387953251128674};
        constexpr double s16[8] = {0, -0.38268343236508977, -0.70710678118654752, -0.92387953251128674, -1, -0.92387953251128674, -0.70710678118654752, -0.38268343236508977};
        Complex<T> a = v[base + i], b = v[base + i + size / 2];
        v[base + i] = a + b;
        v[base + i + size / 2] = (a - b) * Complex<T>{(T)c16[i * (16 / size)], (T)s16[i * (16 / size)]};
      }
}

extern "C" __global__ void fft16_f32(float2 *data, int stride) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  Complex<float> v[16];
#pragma unroll
  for (int i = 0; i < 16; i++) { float2 x = data[t + i * stride]; v[i] = {x.x, x.y}; }
#pragma unroll
  for (int i = 1; i < 16; i++) {
    float s, c;
    sincospif(-2.0f * i * (t % stride) / (16.0f * stride), &s, &c);
    v[i] = v[i] * Complex<float>{c, s};
  }
  fft(v);
#pragma unroll
  for (int i = 0; i < 16; i++) {
    int j = (i & 1) << 3 | (i & 2) << 1 | (i & 4) >> 1 | i >> 3;
    data[t + i * stride] = {v[j].re, v[j].im};
  }
}

extern "C" __global__ void fft8_f64(double2 *out, const double2 *in, int stride) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  Complex<double> v[8];
#pragma unroll
  for (int i = 0; i < 8; i++) { double2 x = in[t + i * stride]; v[i] = {x.x, x.y}; }
  double s, c;
  sincospi(-0.25 * (t % stride) / stride, &s, &c);
  Complex<double> w = {c, s}, u = w;
#pragma unroll
  for (int i = 1; i < 8; i++) { v[i] = v[i] * u; u = u * w; }
  fft(v);
#pragma unroll
  for (int i = 0; i < 8; i++) out[t * 8 + i] = {v[i].re, v[i].im};
}

__device__ void dct8(float &a, float &b, float &c, float &d, float &e, float &f, float &g, float &h) {
  float s0 = a + h, s1 = b + g, s2 = c + f, s3 = d + e, d0 = a - h, d1 = b - g, d2 = c - f, d3 = d - e;
  float t0 = s0 + s3, t1 = s1 + s2, t2 = s0 - s3, t3 = s1 - s2;
  a = 0.35355339f * (t0 + t1), e = 0.35355339f * (t0 - t1);
  c = 0.46193977f * t2 + 0.19134172f * t3, g = 0.19134172f * t2 - 0.46193977f * t3;
  b = 0.49039264f * d0 + 0.41573481f * d1 + 0.27778512f * d2 + 0.09754516f * d3;
  d = 0.41573481f * d0 - 0.09754516f * d1 - 0.49039264f * d2 - 0.27778512f * d3;
  f = 0.27778512f * d0 - 0.49039264f * d1 + 0.09754516f * d2 + 0.41573481f * d3;
  h = 0.09754516f * d0 - 0.27778512f * d1 + 0.41573481f * d2 - 0.49039264f * d3;
}

extern "C" __global__ void jpeg_block(short *out, const unsigned char *image, const float *quant, int width) {
  int t = blockIdx.x * blockDim.x + threadIdx.x, per = width / 8;
  const unsigned char *p = image + t / per * 8 * width + t % per * 8;
  float v[8][8];
#pragma unroll
  for (int y = 0; y < 8; y++) {
    uint2 row = *(const uint2 *)(p + y * width);
#pragma unroll
    for (int x = 0; x < 8; x++) v[y][x] = (float)(((x < 4 ? row.x : row.y) >> x % 4 * 8 & 255)) - 128.0f;
    dct8(v[y][0], v[y][1], v[y][2], v[y][3], v[y][4], v[y][5], v[y][6], v[y][7]);
  }
#pragma unroll
  for (int x = 0; x < 8; x++) dct8(v[0][x], v[1][x], v[2][x], v[3][x], v[4][x], v[5][x], v[6][x], v[7][x]);
#pragma unroll
  for (int y = 0; y < 8; y++)
#pragma unroll
    for (int x = 0; x < 8; x++) out[t * 64 + y * 8 + x] = (short)__float2int_rn(v[y][x] / quant[y * 8 + x]);
}

extern "C" __global__ void hadamard64(int *data, int rounds) {
  int t = blockIdx.x * blockDim.x + threadIdx.x, v[64];
#pragma unroll
  for (int i = 0; i < 64; i++) v[i] = data[t * 64 + i];
  for (int r = 0; r < rounds; r++)
#pragma unroll
    for (int h = 1; h < 64; h *= 2)
#pragma unroll
      for (int i = 0; i < 64; i++)
        if (!(i & h)) { int a = v[i], b = v[i + h]; v[i] = a + b, v[i + h] = a - b; }
#pragma unroll
  for (int i = 0; i < 64; i++) data[t * 64 + i] = v[i];
}
