// A bulk copy from shared to global memory
#include <cuda/ptx>
extern "C" __global__ void k(unsigned* out, const unsigned* in, unsigned n){
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  namespace ptx = cuda::ptx;
  __shared__ alignas(16) unsigned s[1024];
  for (int j = 0; j < 4; j++) s[(4 * threadIdx.x + j) % 1024] = in[4 * i + j] ^ 0x55u;
  ptx::fence_proxy_async(ptx::space_shared);
  __syncthreads();
  if (threadIdx.x == 0) {
    ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, out + 4 * i, s, 16 * blockDim.x);
    ptx::cp_async_bulk_commit_group();
    ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
  }
  __syncthreads();
}
