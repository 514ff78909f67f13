// Warp reductions in one instruction (compute_80 and later).
extern "C" __global__ void redux(const int *in, int *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, v = in[i];
  int *o = out + 8 * i;
  o[0] = __reduce_add_sync(0xffffffffu, v);
  o[1] = __reduce_min_sync(0xffffffffu, v);
  o[2] = __reduce_max_sync(0xffffffffu, (unsigned)v);
  o[3] = __reduce_and_sync(0xffffffffu, (unsigned)v | 0xff);
  o[4] = __reduce_or_sync(0xffffffffu, (unsigned)v & 0xff00ff00u);
  o[5] = __reduce_xor_sync(0xffffffffu, (unsigned)v);
  if (threadIdx.x & 4)
    o[6] = __reduce_max_sync(0xf0f0f0f0u, v);
  else
    o[6] = __reduce_add_sync(0x0f0f0f0fu, (unsigned)v);
  o[7] = v;
}
