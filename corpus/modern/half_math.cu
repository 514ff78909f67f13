// Transcendental functions of halves
#include <cuda_fp16.h>
extern "C" __global__ void k(unsigned* out, const unsigned* in, unsigned n){
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  __half x = __ushort_as_half((unsigned short)(in[4 * i] & 0x3bff));
  __half2 y = __halves2half2(hexp(x), hsqrt(__habs(x)));
  y = __hfma2(y, y, __hmax2(y, __float2half2_rn(0.25f)));
  out[4 * i] = *reinterpret_cast<unsigned*>(&y); out[4 * i + 1] = __half_as_ushort(hrint(x)) + __half2int_rn(x);
}
