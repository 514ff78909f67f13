// Atomic sums of half2, bfloat162, float2 and float4
#include <cuda_fp16.h>
#include <cuda_bf16.h>
extern "C" __global__ void k(unsigned* out, const unsigned* in, unsigned n){
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(reinterpret_cast<__half2*>(out + 4 * i), __half2half2(__ushort_as_half((unsigned short)in[4 * i] & 0x3bff)));
  atomicAdd(reinterpret_cast<__nv_bfloat162*>(out + 4 * i + 1), __bfloat162bfloat162(__ushort_as_bfloat16((unsigned short)in[4 * i + 1] & 0x3fff)));
  atomicAdd(reinterpret_cast<float2*>(out + 4 * i + 2), make_float2(1.0f, 2.0f));
}
