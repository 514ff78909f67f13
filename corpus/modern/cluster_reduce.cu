// Sum over a cluster through distributed shared memory
#include <cooperative_groups.h>
extern "C" __global__ void __cluster_dims__(1,1,1) k(unsigned* out, const unsigned* in, unsigned n){
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  namespace cg = cooperative_groups;
  __shared__ unsigned s;
  cg::cluster_group cluster = cg::this_cluster();
  if (threadIdx.x == 0) s = 0;
  cluster.sync();
  unsigned* first = cluster.map_shared_rank(&s, 0);
  atomicAdd(first, in[4 * i]);
  cluster.sync();
  out[4 * i] = *first + cluster.block_rank() + cluster.num_blocks();
  cluster.sync();
}
