// A tile of a tensor map into shared memory
#include <cuda.h>
#include <cuda/ptx>
extern "C" __global__ void k(unsigned* out, const __grid_constant__ CUtensorMap map, int x, int y){
  namespace ptx = cuda::ptx;
  __shared__ alignas(128) unsigned s[64];
  __shared__ uint64_t bar;
  if (threadIdx.x == 0) {
    ptx::mbarrier_init(&bar, 1);
    ptx::fence_proxy_async(ptx::space_shared);
    int32_t at[2] = {x, y};
    ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, s, &map, at, &bar);
    ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar, 256);
  }
  __syncthreads();
  while (!ptx::mbarrier_try_wait_parity(&bar, 0)) {}
  out[threadIdx.x] = s[threadIdx.x % 64];
}
