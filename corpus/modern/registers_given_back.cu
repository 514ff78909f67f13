// Producers give registers back, consumers take more
extern "C" __global__ void __launch_bounds__(256) k(unsigned* out, const unsigned* in, unsigned n){
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x < 128) { asm volatile("setmaxnreg.dec.sync.aligned.u32 40;"); out[4 * i] = in[4 * i]; }
  else { asm volatile("setmaxnreg.inc.sync.aligned.u32 128;"); out[4 * i] = in[4 * i] * in[4 * i + 1]; }
}
