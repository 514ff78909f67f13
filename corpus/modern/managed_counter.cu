// A managed variable and a device variable
__managed__ unsigned counter[4];
__device__ unsigned weight = 3;
extern "C" __global__ void k(unsigned* out, const unsigned* in, unsigned n){
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  counter[threadIdx.x & 3] = in[4 * i]; out[4 * i] = weight * in[4 * i];
}
