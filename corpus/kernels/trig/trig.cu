// The accurate elementary functions of single precision; large arguments take the slow road through local memory.
extern "C" __global__ void trig(const float *x, float *s, float *c, float *e, float *l, float *t) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = x[i];
  s[i] = sinf(v * 1000.0f);
  c[i] = cosf(v);
  e[i] = expf(v * 0.5f);
  l[i] = logf(fabsf(v) + 1.5f);
  t[i] = tanhf(v * 0.25f);
}
