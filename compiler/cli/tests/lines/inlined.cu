// Inlined calls, loops and branches. The cubins beside this file are of ptxas -lineinfo, of the PTX that nvcc 13.0.88 makes of
// this file with -lineinfo, in which the file's name was set to src/inlined.cu; the texts are of nvdisasm 13.2.51 with -c and -g or -gi.
__device__ __forceinline__ float square(float x) {
    float y = x * x;
    return y + 1.0f;
}

__device__ __forceinline__ float both(float x) {
    return square(x) + square(x + 1.0f);
}

__device__ __noinline__ float apart(float x, int n) {
    for (int i = 0; i < n; i++) {
        if (x > 100.0f)
            x = square(x) * 0.001f;
        else
            x += both(x);
    }
    return x;
}

__global__ void map(float *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i] = both(p[i]);
}

__global__ void repeat(float *p, int n) {
    __shared__ float kept[128];
    kept[threadIdx.x] = p[threadIdx.x];
    __syncthreads();
    float sum = 0;
    for (int i = 0; i < n; i++)
        sum += square(kept[(threadIdx.x + i) & 127]);
    p[threadIdx.x] = apart(sum, n);
}
