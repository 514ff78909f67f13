// Counts values by their logarithm: constant memory, device functions, shared atomics, doubles.
#include <cmath>

__constant__ double limits[8] = {1e-3, 1e-2, 1e-1, 1, 10, 100, 1000, 1e4};
__device__ unsigned long long seen;

__device__ __noinline__ int bin(double v) {
    int at = 0;
    while (at < 8 && v >= limits[at]) at++;
    return at;
}

__global__ void count(const double *values, unsigned *out, int n) {
    __shared__ unsigned local[9];
    if (threadIdx.x < 9) local[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        atomicAdd(&local[bin(sqrt(fabs(values[i])))], 1u);
        atomicAdd(&seen, 1ull);
    }
    __syncthreads();
    if (threadIdx.x < 9) atomicAdd(&out[threadIdx.x], local[threadIdx.x]);
}

int main() {
    double *values;
    unsigned *out;
    if (cudaMalloc(&values, 4096 * sizeof(double)) != cudaSuccess) return 2;
    cudaMalloc(&out, 9 * sizeof(unsigned));
    cudaMemset(values, 0, 4096 * sizeof(double));
    cudaMemset(out, 0, 9 * sizeof(unsigned));
    count<<<8, 128>>>(values, out, 4096);
    return cudaDeviceSynchronize() != cudaSuccess;
}
