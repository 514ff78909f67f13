// Votes, matches, reductions over lanes
extern "C" __global__ void k(unsigned* out, const unsigned* in, unsigned n){
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned v = in[4 * i] & 7, m = __activemask();
  out[4 * i] = __match_any_sync(m, v); out[4 * i + 1] = __reduce_add_sync(m, v) + __reduce_max_sync(m, v);
  int all; unsigned r = __match_all_sync(m, v, &all); out[4 * i + 2] = r + all;
  out[4 * i + 3] = __shfl_xor_sync(m, v, 3) + __shfl_down_sync(m, v, 2, 8);
}
