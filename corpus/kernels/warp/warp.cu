// Votes, matches and shuffles, with full and partial masks. Every lane of the mask arrives.
extern "C" __global__ void warp(const int *in, int *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31, v = in[i], key = v & 3, all_same;
  int *o = out + 16 * i;
  o[0] = __ballot_sync(0xffffffffu, v > 0);
  o[1] = __any_sync(0xffffffffu, v == 17) * 2 + __all_sync(0xffffffffu, v > -90);
  o[2] = __match_any_sync(0xffffffffu, key);
  o[3] = __match_all_sync(0xffffffffu, v >> 8, &all_same);
  o[4] = all_same;
  o[5] = __shfl_sync(0xffffffffu, v, lane * 5 + 3);
  o[6] = __shfl_up_sync(0xffffffffu, v, 3, 16);
  o[7] = __shfl_down_sync(0xffffffffu, v, 2, 8);
  o[8] = __shfl_xor_sync(0xffffffffu, v, 21);
  o[9] = __shfl_sync(0xffffffffu, v, key, 4);
  o[10] = 0;
  if (lane & 1) {
    o[10] = __shfl_xor_sync(0xaaaaaaaau, v, 6) + __popc(__ballot_sync(0xaaaaaaaau, v & 4));
  } else {
    o[10] = __shfl_xor_sync(0x55555555u, v, 10) - __popc(__ballot_sync(0x55555555u, v & 8));
  }
  __syncwarp();
  int m = v;
  for (int d = 16; d > 0; d >>= 1) m = max(m, __shfl_xor_sync(0xffffffffu, m, d));
  o[11] = m;
  unsigned mask = __match_any_sync(0xffffffffu, key);
  int leader = __ffs(mask) - 1;
  o[12] = __shfl_sync(mask, v, leader);
  o[13] = __popc(mask & ((1u << lane) - 1));
  o[14] = __match_any_sync(0xffffffffu, (long long)v << 30) == __match_any_sync(0xffffffffu, v);
  o[15] = (int)__shfl_sync(0xffffffffu, (long long)v * v * v, 31 - lane);
}
