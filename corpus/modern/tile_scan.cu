// An inclusive scan over tiles of 16 lanes
#include <cooperative_groups.h>
#include <cooperative_groups/scan.h>
#include <cooperative_groups/reduce.h>
extern "C" __global__ void k(unsigned* out, const unsigned* in, unsigned n){
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  namespace cg = cooperative_groups;
  auto tile = cg::tiled_partition<16>(cg::this_thread_block());
  out[4 * i] = cg::inclusive_scan(tile, in[4 * i], cg::plus<unsigned>());
  out[4 * i + 1] = cg::reduce(tile, in[4 * i + 1], cg::bit_xor<unsigned>());
}
