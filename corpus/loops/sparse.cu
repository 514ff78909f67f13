// Sparse matrices: CSR, ELL, COO, blocks, and their transposed products.

extern "C" __global__ void spmv_csr_scalar(const int *start, const int *column, const float *value, const float *x, float *y, int rows) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    float s = 0.0f;
    for (int i = start[r]; i < start[r + 1]; i++) s += value[i] * x[column[i]];
    y[r] = s;
}

extern "C" __global__ void spmv_csr_warp(const int *start, const int *column, const double *value, const double *x, double *y, int rows) {
    int r = (blockIdx.x * blockDim.x + threadIdx.x) >> 5, lane = threadIdx.x & 31;
    if (r >= rows) return;
    int end = start[r + 1];
    double s = 0.0;
    for (int i = start[r] + lane; i < end; i += 32) s += value[i] * x[column[i]];
    for (int d = 16; d > 0; d >>= 1) s += __shfl_down_sync(0xffffffffu, s, d);
    if (lane == 0) y[r] = s;
}

extern "C" __global__ void spmv_ell(const int *column, const float *value, const float *x, float *y, int rows, int width) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    float s = 0.0f;
    for (int k = 0; k < width; k++) {
        int c = column[k * rows + r];
        if (c < 0) break;
        s += value[k * rows + r] * x[c];
    }
    y[r] = s;
}

extern "C" __global__ void spmv_coo_atomic(const int *row, const int *column, const float *value, const float *x, float *y, int count) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += blockDim.x * gridDim.x)
        atomicAdd(&y[row[i]], value[i] * x[column[i]]);
}

extern "C" __global__ void spmv_bcsr_2x2(const int *start, const int *column, const float4 *block, const float2 *x, float2 *y, int rows) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    float2 s = make_float2(0.0f, 0.0f);
    int i = start[r], end = start[r + 1];
    while (i < end) {
        float4 b = block[i];
        float2 v = x[column[i]];
        s.x += b.x * v.x + b.y * v.y;
        s.y += b.z * v.x + b.w * v.y;
        i++;
    }
    y[r] = s;
}

extern "C" __global__ void csr_row_norms(const int *start, const float *value, float *norm, int rows) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    float s = 0.0f;
    const float *p = value + start[r], *end = value + start[r + 1];
    for (; p != end; ++p) s += *p * *p;
    norm[r] = sqrtf(s);
}

extern "C" __global__ void spmm_csr_dense(const int *start, const int *column, const float *value, const float *b, float *c, int rows, int width) {
    int r = blockIdx.x;
    for (int j = threadIdx.x; j < width; j += blockDim.x) {
        float s = 0.0f;
        for (int i = start[r]; i < start[r + 1]; i++) s += value[i] * b[column[i] * width + j];
        c[r * width + j] = s;
    }
}
