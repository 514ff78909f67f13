#include "warp.h"
extern "C" __global__ void early(int *out, const int *keys, int wanted, int n) {
  int i = global_index();
  if (i >= n)
    return;
  int key = keys[i];
  if (key < 0)
    return;
  if (key == wanted)
    atomicMin(out, i);
}
