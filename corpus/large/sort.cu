// Sorting and order: a network of 32 in registers, a bitonic sort of a block with keys and values, a radix sort, the largest sixteen of a row, a scan, a merge.
#include <stdint.h>
template <class T> __device__ void order(T &a, T &b) { T x = min(a, b); b = max(a, b); a = x; }

extern "C" __global__ void network32(int *data) {
  int t = blockIdx.x * blockDim.x + threadIdx.x, v[32];
#pragma unroll
  for (int i = 0; i < 32; i++) v[i] = data[t * 32 + i];
#pragma unroll
  for (int p = 1; p < 32; p *= 2)
#pragma unroll
    for (int k = p; k > 0; k /= 2)
#pragma unroll
      for (int j = k % p; j + k < 32; j += 2 * k)
#pragma unroll
        for (int i = 0; i < k; i++)
          if (i + j + k < 32 && (i + j) / (2 * p) == (i + j + k) / (2 * p)) order(v[i + j], v[i + j + k]);
#pragma unroll
  for (int i = 0; i < 32; i++) data[t * 32 + i] = v[i];
}

extern "C" __global__ void network16_f64(double *data, int *index) {
  int t = blockIdx.x * blockDim.x + threadIdx.x, n[16];
  double v[16];
#pragma unroll
  for (int i = 0; i < 16; i++) v[i] = data[t * 16 + i], n[i] = i;
#pragma unroll
  for (int k = 2; k <= 16; k *= 2)
#pragma unroll
    for (int j = k / 2; j > 0; j /= 2)
#pragma unroll
      for (int i = 0; i < 16; i++)
        if ((i ^ j) > i && ((i & k) == 0) == (v[i] > v[i ^ j])) {
          double x = v[i]; v[i] = v[i ^ j]; v[i ^ j] = x;
          int y = n[i]; n[i] = n[i ^ j]; n[i ^ j] = y;
        }
#pragma unroll
  for (int i = 0; i < 16; i++) data[t * 16 + i] = v[i], index[t * 16 + i] = n[i];
}

extern "C" __global__ void __launch_bounds__(128) radix_sort(uint32_t *keys, uint32_t *values) {
  __shared__ uint32_t sk[1024], sv[1024], count[16][128], sums[4];
  int t = threadIdx.x;
  uint32_t k[8], v[8];
#pragma unroll
  for (int i = 0; i < 8; i++) k[i] = keys[blockIdx.x * 1024 + t * 8 + i], v[i] = values[blockIdx.x * 1024 + t * 8 + i];
  for (int shift = 0; shift < 32; shift += 4) {
#pragma unroll
    for (int d = 0; d < 16; d++) count[d][t] = 0;
    uint32_t rank[8];
#pragma unroll
    for (int i = 0; i < 8; i++) rank[i] = count[k[i] >> shift & 15][t]++;
    __syncthreads();
    uint32_t *flat = &count[0][0], own[16], sum = 0;
#pragma unroll
    for (int i = 0; i < 16; i++) { own[i] = sum; sum += flat[t * 16 + i]; }
    uint32_t scan = sum;
#pragma unroll
    for (int o = 1; o < 32; o *= 2) { uint32_t x = __shfl_up_sync(~0u, scan, o); if (t % 32 >= o) scan += x; }
    if (t % 32 == 31) sums[t / 32] = scan;
    __syncthreads();
    scan -= sum;
    for (int w = 0; w < t / 32; w++) scan += sums[w];
#pragma unroll
    for (int i = 0; i < 16; i++) flat[t * 16 + i] = own[i] + scan;
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 8; i++) { uint32_t at = count[k[i] >> shift & 15][t] + rank[i]; sk[at] = k[i], sv[at] = v[i]; }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 8; i++) k[i] = sk[t * 8 + i], v[i] = sv[t * 8 + i];
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < 8; i++) keys[blockIdx.x * 1024 + t * 8 + i] = k[i], values[blockIdx.x * 1024 + t * 8 + i] = v[i];
}

extern "C" __global__ void top16(float *best, int *where, const float *scores, int n) {
  float v[16];
  int at[16];
#pragma unroll
  for (int i = 0; i < 16; i++) v[i] = -INFINITY, at[i] = -1;
  const float *row = scores + (size_t)(blockIdx.x * blockDim.x + threadIdx.x) * n;
  for (int j = 0; j < n; j++) {
    float x = row[j];
    if (x <= v[15]) continue;
    v[15] = x, at[15] = j;
#pragma unroll
    for (int i = 15; i > 0; i--)
      if (v[i] > v[i - 1]) { float y = v[i]; v[i] = v[i - 1]; v[i - 1] = y; int z = at[i]; at[i] = at[i - 1]; at[i - 1] = z; }
  }
#pragma unroll
  for (int i = 0; i < 16; i++) best[(blockIdx.x * blockDim.x + threadIdx.x) * 16 + i] = v[i], where[(blockIdx.x * blockDim.x + threadIdx.x) * 16 + i] = at[i];
}

template <class T> struct Segment { T value; int head; };
template <class T, int PER> __device__ void segmented(T *out, const T *in, const int *heads, int n) {
  __shared__ T last[32];
  __shared__ int flags[32];
  int t = threadIdx.x, base = (blockIdx.x * blockDim.x + t) * PER;
  Segment<T> v[PER];
#pragma unroll
  for (int i = 0; i < PER; i++) v[i] = base + i < n ? Segment<T>{in[base + i], heads[base + i]} : Segment<T>{0, 0};
#pragma unroll
  for (int i = 1; i < PER; i++) { if (!v[i].head) v[i].value += v[i - 1].value; v[i].head |= v[i - 1].head; }
  T x = v[PER - 1].value;
  int f = v[PER - 1].head;
#pragma unroll
  for (int o = 1; o < 32; o *= 2) {
    T y = __shfl_up_sync(~0u, x, o);
    int g = __shfl_up_sync(~0u, f, o);
    if (t % 32 >= o) { if (!f) x += y; f |= g; }
  }
  if (t % 32 == 31) last[t / 32] = x, flags[t / 32] = f;
  T before = __shfl_up_sync(~0u, x, 1);
  int seen = __shfl_up_sync(~0u, f, 1);
  if (t % 32 == 0) before = 0, seen = 0;
  __syncthreads();
  T carry = 0;
  for (int w = 0; w < t / 32; w++) carry = flags[w] ? last[w] : carry + last[w];
  if (!seen) before += carry;
#pragma unroll
  for (int i = 0; i < PER; i++) if (base + i < n) out[base + i] = v[i].head ? v[i].value : v[i].value + before;
}
extern "C" __global__ void segmented_f64(double *out, const double *in, const int *heads, int n) { segmented<double, 12>(out, in, heads, n); }
extern "C" __global__ void segmented_s64(long long *out, const long long *in, const int *heads, int n) { segmented<long long, 16>(out, in, heads, n); }
