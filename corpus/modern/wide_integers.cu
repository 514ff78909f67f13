// 128-bit products and quotients
extern "C" __global__ void k(unsigned* out, const unsigned* in, unsigned n){
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned __int128 a = ((unsigned __int128)in[4 * i] << 70) | in[4 * i + 1], b = in[4 * i + 2] | 1u;
  unsigned __int128 q = a / b, p = a * b;
  out[4 * i] = (unsigned)q; out[4 * i + 1] = (unsigned)(q >> 64); out[4 * i + 2] = (unsigned)(p >> 96); out[4 * i + 3] = (unsigned)(a % b);
}
