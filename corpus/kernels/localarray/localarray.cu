// An array per thread, indexed by data: it lives in local memory. Counts digits, then sorts by insertion.
extern "C" __global__ void localarray(const unsigned *in, unsigned *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned char count[16];
  int sorted[12];
  for (int k = 0; k < 16; k++) count[k] = 0;
  unsigned v = in[i];
  for (int k = 0; k < 8; k++) count[v >> (4 * k) & 15]++;
#pragma unroll 1
  for (int k = 0; k < 12; k++) {
    int x = (int)(v * (2 * k + 1) ^ v >> k), j = k;
    while (j > 0 && sorted[j - 1] > x) {
      sorted[j] = sorted[j - 1];
      j--;
    }
    sorted[j] = x;
  }
  unsigned h = 0;
  for (int k = 0; k < 16; k++) h = h * 9 + count[(k * 7 + v) & 15];
  out[3 * i] = h;
  out[3 * i + 1] = sorted[v % 12];
  out[3 * i + 2] = sorted[0] ^ sorted[11];
}
