#include "warp.h"
extern "C" __global__ void ballot(unsigned *out, const int *in) {
  int i = global_index();
  unsigned odd = __ballot_sync(0xffffffff, in[i] & 1);
  unsigned before = odd & ((1u << (threadIdx.x % 32)) - 1);
  int place = __popc(before);
  out[i] = __brev(odd) + place;
  if (__any_sync(0xffffffff, in[i] > 100))
    out[0] = odd;
}
