// tex1Dfetch of integers, the way old code reads
extern "C" __global__ void k(unsigned* out, cudaTextureObject_t t, unsigned n){
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = tex1Dfetch<unsigned>(t, i) + tex1Dfetch<uint2>(t, i / 2).y;
}
