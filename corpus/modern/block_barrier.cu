// cuda::barrier of a block: arrive, then wait
#include <cuda/barrier>
#include <utility>
#pragma nv_diag_suppress static_var_with_dynamic_init
extern "C" __global__ void k(unsigned* out, const unsigned* in, unsigned n){
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ cuda::barrier<cuda::thread_scope_block> bar;
  __shared__ unsigned s[1024];
  if (threadIdx.x == 0) init(&bar, blockDim.x);
  __syncthreads();
  s[threadIdx.x] = in[4 * i];
  auto token = bar.arrive();
  unsigned mine = in[4 * i + 1];
  bar.wait(std::move(token));
  out[4 * i] = s[blockDim.x - 1 - threadIdx.x] + mine;
}
