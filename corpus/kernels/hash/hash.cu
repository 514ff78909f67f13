// Two hashes of 19 bytes per thread: a murmur-like one by words with a tail, and FNV-1a in 64 bits by bytes.
__device__ unsigned rotl(unsigned x, int r) { return (x << r) | (x >> (32 - r)); }
extern "C" __global__ void hash(const unsigned char *data, unsigned *h32, unsigned long long *h64, unsigned seed) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned char *p = data + 19 * i;
  unsigned h = seed;
  for (int w = 0; w < 4; w++) {
    unsigned k = p[4 * w] | p[4 * w + 1] << 8 | p[4 * w + 2] << 16 | (unsigned)p[4 * w + 3] << 24;
    k *= 0xcc9e2d51u;
    k = rotl(k, 15) * 0x1b873593u;
    h = rotl(h ^ k, 13) * 5 + 0xe6546b64u;
  }
  unsigned k = p[16] | p[17] << 8 | p[18] << 16;
  k *= 0xcc9e2d51u;
  h ^= rotl(k, 15) * 0x1b873593u;
  h ^= 19;
  h ^= h >> 16;
  h *= 0x85ebca6bu;
  h ^= h >> 13;
  h *= 0xc2b2ae35u;
  h32[i] = h ^ h >> 16;
  unsigned long long f = 0xcbf29ce484222325ull;
  for (int b = 0; b < 19; b++) f = (f ^ p[b]) * 0x100000001b3ull;
  h64[i] = f;
}
