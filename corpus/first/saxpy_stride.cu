// Feature: saxpy in a loop over the grid
extern "C" __global__ void saxpy_stride(size_t n, float a, const float *x, float *y) {
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x)
        y[i] = a * x[i] + y[i];
}
