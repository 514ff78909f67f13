// Two kernels and a table. The files beside this one are nvcc 13.0.88's, gzip without a time stamp:
//   G="-gencode arch=compute_80,code=sm_80 -gencode arch=compute_90,code=[sm_90,compute_90]"
//   nvcc $G -fatbin --compress-mode=MODE two.cu -o two.MODE.fatbin     for none, speed (LZ4), size (Zstandard) and balance
//   nvcc $G -c two.cu -o two.o;  nvcc $G -dc two.cu -o two.dc.o;  nvcc $G -lib two.cu -o two.a
//   nvcc $G -cudart none two.cu -o two -L LIB -l:libcudart.so.13 -Xlinker -s     an executable
//   nvcc $G -cudart none -shared -Xcompiler -fPIC two.cu -o two.so -L LIB -l:libcudart.so.13 -Xlinker -s
__device__ int table[4] = {1, 2, 3, 4};

__global__ void scale(float *to, float by, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) to[i] *= by;
}

__global__ void add(int *to, const int *from) {
    to[threadIdx.x] += from[threadIdx.x] + table[threadIdx.x & 3];
}

int main() {
    scale<<<1, 1>>>(0, 1.0f, 0);
    add<<<1, 1>>>(0, 0);
    return 0;
}
