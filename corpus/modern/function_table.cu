// Calls through a table of functions
typedef unsigned (*F)(unsigned);
__device__ __noinline__ unsigned f0(unsigned x) { return x + 1; }
__device__ __noinline__ unsigned f1(unsigned x) { return x * 3; }
__device__ __noinline__ unsigned f2(unsigned x) { return ~x; }
__device__ __noinline__ unsigned f3(unsigned x) { return __brev(x); }
__constant__ F table[4] = {f0, f1, f2, f3};
extern "C" __global__ void k(unsigned* out, const unsigned* in, unsigned n){
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  out[4 * i] = table[in[4 * i] & 3](in[4 * i + 1]);
}
