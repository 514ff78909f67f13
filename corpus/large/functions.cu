// Functions of the mathematical library in f32: a sum of everything, Bessel functions.
extern "C" __global__ void functions_f32(float *out, const float *in, int n) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= n) return;
  float x = in[t], s, c;
  sincosf(x, &s, &c);
  out[t] = s * tanf(x) + c * powf(fabsf(x), 1.37f) + erff(x) - erfcf(x * 0.5f) + tgammaf(x) + cbrtf(x) + hypotf(x, s) + asinhf(x) + atan2f(s, x) + lgammaf(x) + expm1f(x) + log1pf(x * x) + fmodf(x, 0.7f) + remainderf(x, 1.3f);
}
extern "C" __global__ void bessel_f32(float *out, const float *in, int n) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t < n) out[t] = j0f(in[t]) + j1f(in[t]) * y0f(in[t]) - y1f(in[t]) + normcdfinvf(in[t]) + erfinvf(in[t]);
}
