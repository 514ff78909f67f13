// Scale after the grid before has finished, and let the next one start
extern "C" __global__ void k(unsigned* out, const unsigned* in, unsigned n){
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  cudaGridDependencySynchronize();
  unsigned v = in[4 * i];
  cudaTriggerProgrammaticLaunchCompletion();
  out[4 * i] = v * 3u + 1u;
}
