// atomicAdd of float4
extern "C" __global__ void k(unsigned* out, const unsigned* in, unsigned n){
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(reinterpret_cast<float4*>(out + 4 * i), make_float4(1.0f, 2.0f, 3.0f, 4.0f));
}
