// A product of matrices by tiles in shared memory, and a sum by shuffles, as templates.
template <int SIDE> __global__ void product(const float *a, const float *b, float *c, int n) {
    __shared__ float x[SIDE][SIDE], y[SIDE][SIDE + 1];
    int row = blockIdx.y * SIDE + threadIdx.y, column = blockIdx.x * SIDE + threadIdx.x;
    float sum = 0;
    for (int t = 0; t < n; t += SIDE) {
        x[threadIdx.y][threadIdx.x] = row < n && t + threadIdx.x < n ? a[row * n + t + threadIdx.x] : 0;
        y[threadIdx.y][threadIdx.x] = column < n && t + threadIdx.y < n ? b[(t + threadIdx.y) * n + column] : 0;
        __syncthreads();
        for (int k = 0; k < SIDE; k++) sum += x[threadIdx.y][k] * y[k][threadIdx.x];
        __syncthreads();
    }
    if (row < n && column < n) c[row * n + column] = sum;
}

__global__ void total(const float *x, float *out, int n) {
    float sum = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x) sum += x[i];
    for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffffu, sum, step);
    if (threadIdx.x % 32 == 0) atomicAdd(out, sum);
}

int main() {
    float *p;
    if (cudaMalloc(&p, 4 * 256 * 256 * sizeof(float)) != cudaSuccess) return 2;
    product<16><<<dim3(16, 16), dim3(16, 16)>>>(p, p + 65536, p + 131072, 256);
    total<<<1, 256>>>(p + 131072, p + 196608, 65536);
    return cudaDeviceSynchronize() != cudaSuccess;
}
