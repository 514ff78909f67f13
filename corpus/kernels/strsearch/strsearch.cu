// Every place where the pattern starts: their number, the first, and a list in the order the atomics hand out.
extern "C" __global__ void strsearch(const char *text, int n, const char *pattern, int m, unsigned *count, int *first, int *places) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i + m > n) return;
  for (int j = 0; j < m; j++)
    if (text[i + j] != pattern[j]) return;
  places[atomicAdd(count, 1u)] = i;
  atomicMin(first, i);
}
