// Double-precision functions of the library
extern "C" __global__ void k(unsigned* out, const unsigned* in, unsigned n){
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  double x = (int)in[4 * i] * 1e-3, y = (int)in[4 * i + 1] * 1e-9;
  double r = sin(x) * exp(y) + log(fabs(x) + 1.0) / (y * y + 1.0) + sqrt(fabs(x)) + floor(x);
  out[4 * i] = __double2loint(r); out[4 * i + 1] = __double2hiint(r);
}
