// Dynamic shared memory cut in two
extern "C" __global__ void k(unsigned* out, const unsigned* in, unsigned n){
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  extern __shared__ unsigned raw[];
  unsigned short* h = reinterpret_cast<unsigned short*>(raw + blockDim.x);
  raw[threadIdx.x] = in[4 * i]; h[threadIdx.x] = (unsigned short)in[4 * i + 1];
  __syncthreads();
  out[4 * i] = raw[blockDim.x - 1 - threadIdx.x] + h[threadIdx.x ^ 1];
}
