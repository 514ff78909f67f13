extern "C" __global__ void scan(int *data) {
  __shared__ int buffer[256];
  int i = threadIdx.x;
  buffer[i] = data[i];
  __syncthreads();
  for (int step = 1; step < 256; step *= 2) {
    int add = i >= step ? buffer[i - step] : 0;
    __syncthreads();
    buffer[i] += add;
    __syncthreads();
  }
  data[i] = buffer[i];
}
