// Threads leave at different places: at once, from within a loop, after it.
extern "C" __global__ void earlyexit(const int *in, int *out, int n, int limit) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int v = in[i];
  if (v < 0) {
    out[i] = -1;
    return;
  }
  int sum = 0;
  for (int k = 0; k < 40; k++) {
    if (v == 1) break;
    if (sum > limit) {
      out[i] = -2 - k;
      return;
    }
    if (v & 1) {
      v = 3 * v + 1;
      continue;
    }
    sum += v & 255;
    v >>= 1;
  }
  out[i] = sum * 64 + (v & 63);
}
