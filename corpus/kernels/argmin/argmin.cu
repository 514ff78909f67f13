// Least element of each block and its first place.
extern "C" __global__ void argmin(const float *x, float *least, int *place) {
  __shared__ float v[128];
  __shared__ int at[128];
  int t = threadIdx.x;
  v[t] = x[blockIdx.x * blockDim.x + t];
  at[t] = t;
  __syncthreads();
  for (int half = blockDim.x >> 1; half > 0; half >>= 1) {
    if (t < half && (v[t + half] < v[t] || (v[t + half] == v[t] && at[t + half] < at[t]))) {
      v[t] = v[t + half];
      at[t] = at[t + half];
    }
    __syncthreads();
  }
  if (t == 0) {
    least[blockIdx.x] = fminf(v[0], 1e30f);
    place[blockIdx.x] = at[0];
  }
}
