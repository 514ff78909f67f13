// Three generators per thread: xorshift32, a 64-bit LCG with a permuted output, and Philox 4x32-10; and a float from each.
extern "C" __global__ void rng(const unsigned *seed, unsigned *out, float *uniform, int steps) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned x = seed[i] | 1u;
  unsigned long long s = seed[i] * 0x9e3779b97f4a7c15ull + i;
  unsigned p = 0;
  for (int k = 0; k < steps; k++) {
    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    unsigned v = (unsigned)((s >> 18 ^ s) >> 27), r = (unsigned)(s >> 59);
    p = v >> r | v << (-r & 31);
    s = s * 6364136223846793005ull + 1442695040888963407ull;
  }
  unsigned c0 = i, c1 = 0, c2 = seed[i], c3 = 0x12345678u, k0 = 0xa4093822u, k1 = 0x299f31d0u;
#pragma unroll 1
  for (int k = 0; k < 10; k++) {
    unsigned h0 = __umulhi(0xd2511f53u, c0), l0 = 0xd2511f53u * c0;
    unsigned h1 = __umulhi(0xcd9e8d57u, c2), l1 = 0xcd9e8d57u * c2;
    c0 = h1 ^ c1 ^ k0;
    c1 = l1;
    c2 = h0 ^ c3 ^ k1;
    c3 = l0;
    k0 += 0x9e3779b9u;
    k1 += 0xbb67ae85u;
  }
  out[6 * i] = x;
  out[6 * i + 1] = p;
  out[6 * i + 2] = c0;
  out[6 * i + 3] = c1;
  out[6 * i + 4] = c2;
  out[6 * i + 5] = c3;
  uniform[3 * i] = (x >> 8) * (1.0f / 16777216.0f);
  uniform[3 * i + 1] = p * (1.0f / 4294967296.0f);
  uniform[3 * i + 2] = (float)(int)c0;
}
