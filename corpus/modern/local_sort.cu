// An array in local memory that is sorted
extern "C" __global__ void k(unsigned* out, const unsigned* in, unsigned n){
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned a[24];
  for (int j = 0; j < 24; j++) a[j] = in[(4 * i + j * 7) % 64];
  for (int j = 1; j < 24; j++) { unsigned v = a[j]; int t = j - 1; while (t >= 0 && a[t] > v) { a[t + 1] = a[t]; t--; } a[t + 1] = v; }
  out[4 * i] = a[in[4 * i] % 24];
}
