// Monte Carlo and trees: Philox with Box-Muller for an Asian option, Heston's model in f64, a binomial tree in registers, implied volatility by Newton.
#include <stdint.h>
__device__ uint4 philox(uint4 c, uint2 k) {
#pragma unroll
  for (int i = 0; i < 10; i++) {
    uint32_t h0 = __umulhi(0xD2511F53, c.x), l0 = 0xD2511F53 * c.x, h1 = __umulhi(0xCD9E8D57, c.z), l1 = 0xCD9E8D57 * c.z;
    c = {h1 ^ c.y ^ k.x, l1, h0 ^ c.w ^ k.y, l0};
    k.x += 0x9E3779B9, k.y += 0xBB67AE85;
  }
  return c;
}
__device__ float4 normals(uint4 r) {
  float u0 = (r.x + 0.5f) * 2.3283064e-10f, u1 = (r.z + 0.5f) * 2.3283064e-10f, a = sqrtf(-2 * logf(u0)), b = sqrtf(-2 * logf(u1)), s0, c0, s1, c1;
  sincospif(r.y * 4.6566129e-10f, &s0, &c0), sincospif(r.w * 4.6566129e-10f, &s1, &c1);
  return {a * c0, a * s0, b * c1, b * s1};
}
extern "C" __global__ void asian_option(float *out, float spot, float strike, float rate, float sigma, float years, int steps, uint2 seed) {
  uint32_t t = blockIdx.x * blockDim.x + threadIdx.x;
  float dt = years / steps, drift = (rate - 0.5f * sigma * sigma) * dt, vol = sigma * sqrtf(dt), l[2] = {logf(spot), logf(spot)}, sum[2] = {};
  for (int i = 0; i < steps; i += 4) {
    float4 z = normals(philox({t, (uint32_t)i, 0, 0}, seed));
    float zs[4] = {z.x, z.y, z.z, z.w};
#pragma unroll
    for (int j = 0; j < 4; j++) { l[0] += drift + vol * zs[j], l[1] += drift - vol * zs[j]; sum[0] += expf(l[0]), sum[1] += expf(l[1]); }
  }
  out[t] = 0.5f * expf(-rate * years) * (fmaxf(sum[0] / steps - strike, 0.0f) + fmaxf(sum[1] / steps - strike, 0.0f));
}
struct Heston { double spot, strike, rate, kappa, theta, xi, rho, v0, years; };
extern "C" __global__ void heston_f64(double *out, Heston m, int steps, uint2 seed) {
  uint32_t t = blockIdx.x * blockDim.x + threadIdx.x;
  double dt = m.years / steps, root = sqrt(dt), other = sqrt(1 - m.rho * m.rho), x = log(m.spot), v = m.v0;
  for (int i = 0; i < steps; i++) {
    uint4 r = philox({t, (uint32_t)i, 1, 0}, seed);
    double u = ((double)((uint64_t)r.x << 21 ^ r.y) + 0.5) * 1.1102230246251565e-16, w = ((uint64_t)r.z << 21 ^ r.w) * 2.2204460492503131e-16, a = sqrt(-2 * log(u)), s, c;
    sincospi(w, &s, &c);
    double z1 = a * c, z2 = m.rho * z1 + other * a * s, vp = fmax(v, 0.0), sq = sqrt(vp);
    x += (m.rate - 0.5 * vp) * dt + sq * root * z1, v += m.kappa * (m.theta - vp) * dt + m.xi * sq * root * z2;
  }
  out[t] = exp(-m.rate * m.years) * fmax(exp(x) - m.strike, 0.0);
}
extern "C" __global__ void binomial32(float *out, const float *spot, const float *strike, float up, float down, float p, float discount) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  float v[33], s = spot[t], k = strike[t], x = s * powf(down, 32), ratio = up / down;
#pragma unroll
  for (int i = 0; i <= 32; i++) { v[i] = fmaxf(k - x, 0.0f); x *= ratio; }
#pragma unroll
  for (int n = 31; n >= 0; n--)
#pragma unroll
    for (int i = 0; i <= n; i++) v[i] = discount * (p * v[i + 1] + (1 - p) * v[i]);
  out[t] = v[0];
}
extern "C" __global__ void implied_volatility(double *out, const double *price, const double *strike, double spot, double rate, double years, int n) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= n) return;
  double v = 0.2, k = strike[t], root = sqrt(years);
  for (int i = 0; i < 20; i++) {
    double d1 = (log(spot / k) + (rate + 0.5 * v * v) * years) / (v * root), d2 = d1 - v * root;
    double value = spot * normcdf(d1) - k * exp(-rate * years) * normcdf(d2), vega = spot * root * exp(-0.5 * d1 * d1) * 0.3989422804014327, step = (value - price[t]) / vega;
    v -= step;
    if (fabs(step) < 1e-12) break;
  }
  out[t] = v;
}
