// bfloat16 arithmetic
#include <cuda_bf16.h>
extern "C" __global__ void k(unsigned* out, const unsigned* in, unsigned n){
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  __nv_bfloat162 a = *reinterpret_cast<const __nv_bfloat162*>(in + 4 * i), b = *reinterpret_cast<const __nv_bfloat162*>(in + 4 * i + 1);
  __nv_bfloat162 c = __hfma2_relu(a, b, a), d = __hmul2(a, b), e = __hadd2(c, __hmin2(a, b));
  out[4 * i] = *reinterpret_cast<unsigned*>(&c); out[4 * i + 1] = *reinterpret_cast<unsigned*>(&d); out[4 * i + 2] = *reinterpret_cast<unsigned*>(&e);
}
