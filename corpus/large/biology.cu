// Strings and tables: Smith-Waterman with eight rows in registers, edit distance by bits, a cuckoo table, k-mers by minimizer, Needleman-Wunsch with packed scores.
#include <stdint.h>
extern "C" __global__ void smith_waterman(int *best, const uint8_t *query, const uint8_t *text, const int8_t *matrix, int gap, int extend, int rows, int columns) {
  extern __shared__ int edge[];
  int t = blockIdx.x * blockDim.x + threadIdx.x, top = 0;
  const uint8_t *b = text + (size_t)t * columns;
  int *eh = edge + threadIdx.x * 2;
  for (int r = 0; r < rows; r += 8) {
    int h[8] = {}, f[8], diagonal = 0;
    uint8_t a[8];
#pragma unroll
    for (int i = 0; i < 8; i++) a[i] = query[r + i] & 31, f[i] = -1000000;
    for (int c = 0; c < columns; c++) {
      int x = b[c] & 31, e = r ? eh[1] : -1000000, up = r ? eh[0] : 0, d = diagonal;
      diagonal = up;
#pragma unroll
      for (int i = 0; i < 8; i++) {
        int s = d + matrix[a[i] * 32 + x];
        e = max(e - extend, up - gap), f[i] = max(f[i] - extend, h[i] - gap);
        d = h[i], up = h[i] = max(max(s, 0), max(e, f[i]));
        top = max(top, up);
      }
      eh[0] = up, eh[1] = e;
    }
  }
  best[t] = top;
}
extern "C" __global__ void edit_distance(int *out, const uint8_t *pattern, const uint8_t *text, int m, int n) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  uint64_t peq[4] = {}, pv = ~0ull, mv = 0, high = 1ull << (m - 1);
  for (int i = 0; i < m; i++)
#pragma unroll
    for (int k = 0; k < 4; k++) peq[k] |= (uint64_t)((pattern[t * m + i] & 3) == k) << i;
  int score = m, least = m;
#pragma unroll 4
  for (int j = 0; j < n; j++) {
    int c = text[j] & 3;
    uint64_t eq = c & 2 ? (c & 1 ? peq[3] : peq[2]) : (c & 1 ? peq[1] : peq[0]), xv = eq | mv, xh = ((eq & pv) + pv ^ pv) | eq, ph = mv | ~(xh | pv), mh = pv & xh;
    score += (ph & high) != 0, score -= (mh & high) != 0;
    ph = ph << 1 | 1, mh <<= 1, pv = mh | ~(xv | ph), mv = ph & xv;
    least = min(least, score);
  }
  out[t] = least;
}
extern "C" __global__ void cuckoo_insert(unsigned long long *table, int *failed, const uint32_t *keys, const uint32_t *values, uint32_t size, uint4 salt, int n) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= n) return;
  auto place = [&](uint32_t k, int way) {
    uint32_t s[4] = {salt.x, salt.y, salt.z, salt.w};
    k ^= s[way], k *= 0x85ebca6b, k ^= k >> 13, k *= 0xc2b2ae35, k ^= k >> 16;
    return k % size;
  };
  unsigned long long item = (unsigned long long)keys[t] << 32 | values[t];
  uint32_t at = place(keys[t], 0);
  for (int i = 0; i < 64; i++) {
    item = atomicExch(table + at, item);
    uint32_t key = item >> 32;
    if (key == 0xffffffff) return;
    uint32_t p[4];
#pragma unroll
    for (int w = 0; w < 4; w++) p[w] = place(key, w);
    at = at == p[0] ? p[1] : at == p[1] ? p[2] : at == p[2] ? p[3] : p[0];
  }
  atomicAdd(failed, 1);
}
extern "C" __global__ void minimizers(uint64_t *out, const uint8_t *bases, int k, int window, int n) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t + k + window > n) return;
  uint64_t forward = 0, backward = 0, mask = (1ull << 2 * k) - 1, best = ~0ull;
  for (int i = 0; i < k + window; i++) {
    int c;
    switch (bases[t + i]) { case 'A': case 'a': c = 0; break; case 'C': case 'c': c = 1; break; case 'G': case 'g': c = 2; break; case 'T': case 't': c = 3; break; default: c = 0; best = ~0ull; }
    forward = (forward << 2 | c) & mask, backward = backward >> 2 | (uint64_t)(3 - c) << 2 * (k - 1);
    if (i >= k - 1) {
      uint64_t h = min(forward, backward);
      h = (~h + (h << 21)) & mask, h ^= h >> 24, h = (h + (h << 3) + (h << 8)) & mask, h ^= h >> 14, h = (h + (h << 2) + (h << 4)) & mask, h ^= h >> 28, h = (h + (h << 31)) & mask;
      best = min(best, h << 8 | i);
    }
  }
  out[t] = best;
}
