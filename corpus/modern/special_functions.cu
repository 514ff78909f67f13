// Single-precision functions of the library
extern "C" __global__ void k(unsigned* out, const unsigned* in, unsigned n){
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = (int)in[4 * i] * 1e-6f, y = (int)in[4 * i + 1] * 1e-9f;
  out[4 * i] = __float_as_uint(sinf(x) + erff(y)); out[4 * i + 1] = __float_as_uint(powf(fabsf(x), y) + lgammaf(fabsf(y) + 1.0f));
  out[4 * i + 2] = __float_as_uint(fmodf(x, 3.5f) + cbrtf(y)); out[4 * i + 3] = __float_as_uint(atan2f(x, y) + log1pf(fabsf(y)) + __expf(y));
}
