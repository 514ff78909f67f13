// Functions of the mathematical library in f64: distributions, a likelihood, a sum of everything.
extern "C" __global__ void beta_f64(double *out, const double *a, const double *b, const double *x, int n) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= n) return;
  double p = a[t], q = b[t], z = x[t], front = exp(lgamma(p + q) - lgamma(p) - lgamma(q) + p * log(z) + q * log1p(-z)) / p;
  double f = 1, c = 1, d = 0;
  for (int i = 0; i <= 200; i++) {
    int m = i / 2;
    double v = i == 0 ? 1.0 : i % 2 == 0 ? m * (q - m) * z / ((p + 2 * m - 1) * (p + 2 * m)) : -(p + m) * (p + q + m) * z / ((p + 2 * m) * (p + 2 * m + 1));
    d = 1 + v * d, d = fabs(d) < 1e-30 ? 1e-30 : d, d = 1 / d;
    c = 1 + v / c, c = fabs(c) < 1e-30 ? 1e-30 : c;
    f *= c * d;
    if (fabs(1 - c * d) < 1e-10) break;
  }
  out[t] = front * (f - 1);
}
extern "C" __global__ void functions_f64(double *out, const double *in, int n) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= n) return;
  double x = in[t], s, c;
  sincos(x, &s, &c);
  out[t] = s * tan(x) + c * pow(fabs(x), 1.37) + erf(x) - erfc(x * 0.5) + tgamma(x) + cbrt(x) + hypot(x, s) + asinh(x) + atan2(s, x);
}
extern "C" __global__ void mixture_f64(double *out, const double *x, const double *mean, const double *sd, const double *weight, int parts, int n) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  double sum = 0;
  for (int i = t; i < n; i += blockDim.x * gridDim.x) {
    double top = -INFINITY, s = 0;
    for (int j = 0; j < parts; j++) {
      double z = (x[i] - mean[j]) / sd[j], l = log(weight[j]) - 0.5 * z * z - log(sd[j]) - 0.91893853320467274;
      if (l > top) s = s * exp(top - l) + 1, top = l;
      else s += exp(l - top);
    }
    sum += top + log(s);
  }
#pragma unroll
  for (int o = 16; o; o /= 2) sum += __shfl_down_sync(~0u, sum, o);
  if (threadIdx.x % 32 == 0) atomicAdd(out, sum);
}
