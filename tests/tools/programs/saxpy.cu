// Scales and adds two arrays; the host checks the result.
#include <cstdio>
#include <vector>

__global__ void saxpy(int n, float a, const float *x, float *y) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) y[i] = a * x[i] + y[i];
}

int main() {
    const int n = 1 << 16;
    std::vector<float> x(n, 2.0f), y(n, 1.0f);
    float *dx, *dy;
    if (cudaMalloc(&dx, n * sizeof(float)) != cudaSuccess) return 2;
    cudaMalloc(&dy, n * sizeof(float));
    cudaMemcpy(dx, x.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dy, y.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    saxpy<<<64, 256>>>(n, 3.0f, dx, dy);
    cudaMemcpy(y.data(), dy, n * sizeof(float), cudaMemcpyDeviceToHost);
    int bad = 0;
    for (float v : y) bad += v != 7.0f;
    std::printf("%d of %d are wrong\n", bad, n);
    return bad != 0;
}
