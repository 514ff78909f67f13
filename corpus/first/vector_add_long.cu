// Feature: the same with an index of 64 bits
extern "C" __global__ void vector_add_long(const float *a, const float *b, float *c, long long n) {
    long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}
