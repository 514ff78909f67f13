// Quotients and remainders: 32 and 64 bits, signed and unsigned, by variables and by constants.
extern "C" __global__ void intdiv(const int *a, const int *b, const long long *c, const long long *d, int *o32, long long *o64) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int x = a[i], y = (b[i] >> (i & 15)) | 1;
  if (y == -1) y = 3;
  unsigned ux = x, uy = y;
  int *o = o32 + 10 * i;
  o[0] = x / y;
  o[1] = x % y;
  o[2] = ux / uy;
  o[3] = ux % uy;
  o[4] = x / 7;
  o[5] = x % 10;
  o[6] = ux / 641;
  o[7] = ux % 1000000007u;
  o[8] = x / 16;
  o[9] = x % -12;
  long long p = c[i], q = (d[i] >> (i & 31)) | 1;
  if (q == -1) q = 5;
  unsigned long long up = p, uq = q;
  long long *w = o64 + 6 * i;
  w[0] = p / q;
  w[1] = p % q;
  w[2] = up / uq;
  w[3] = up % (uq >> 20 | 1);
  w[4] = p / 1000;
  w[5] = up % 10;
}
