// 64-bit arithmetic: 128-bit products, shifts by variables, rotates, comparisons, a modular power by doubling.
extern "C" __global__ void wide(const unsigned long long *a, const unsigned long long *b, unsigned long long *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned long long x = a[i], y = b[i];
  unsigned long long *o = out + 10 * i;
  unsigned long long lo = x * y, hi = __umul64hi(x, y);
  unsigned long long s = lo + x;
  o[0] = lo;
  o[1] = hi + (s < lo);
  o[2] = __mul64hi((long long)x, (long long)y);
  int k = (int)(y & 63);
  o[3] = x << k;
  o[4] = (unsigned long long)((long long)x >> k) ^ x >> (63 - k);
  o[5] = x << 17 | x >> 47;
  o[6] = (long long)x < (long long)y ? x - y : y - x;
  o[7] = max(x, y) - min((long long)x, (long long)y);
  unsigned long long m = 0xffffffff00000001ull, r = 0, d = x % m, e = y & 0xffff;
  for (; e; e >>= 1) {
    if (e & 1) {
      r += d;
      if (r < d || r >= m) r -= m;
    }
    unsigned long long t = d + d;
    d = t < d || t >= m ? t - m : t;
  }
  o[8] = r;
  o[9] = (x & y) ^ (x | ~y) + (x >> 32) * (unsigned)y;
}
