// Linear algebra of small matrices, one or a few threads a matrix.

extern "C" __global__ void lu_in_place(float *m, int n, int count) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= count) return;
    float *a = m + (size_t)t * n * n;
    for (int k = 0; k < n; k++)
        for (int i = k + 1; i < n; i++) {
            float f = a[i * n + k] /= a[k * n + k];
            for (int j = k + 1; j < n; j++) a[i * n + j] -= f * a[k * n + j];
        }
}

extern "C" __global__ void cholesky_8x8(double *m) {
    double *a = m + (size_t)(blockIdx.x * blockDim.x + threadIdx.x) * 64;
    for (int j = 0; j < 8; j++) {
        double d = a[j * 8 + j];
        for (int k = 0; k < j; k++) d -= a[j * 8 + k] * a[j * 8 + k];
        d = sqrt(d);
        a[j * 8 + j] = d;
        for (int i = j + 1; i < 8; i++) {
            double s = a[i * 8 + j];
            for (int k = 0; k < j; k++) s -= a[i * 8 + k] * a[j * 8 + k];
            a[i * 8 + j] = s / d;
        }
    }
}

extern "C" __global__ void triangular_solve_lower(const float *l, float *b, int n, int columns) {
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= columns) return;
    for (int i = 0; i < n; i++) {
        float s = b[i * columns + c];
        for (int j = 0; j < i; j++) s -= l[i * n + j] * b[j * columns + c];
        b[i * columns + c] = s / l[i * n + i];
    }
}

extern "C" __global__ void triangular_solve_upper_back(const double *u, double *x, int n) {
    // One block; each step one unknown.
    for (int i = n - 1; i >= 0; --i) {
        if (threadIdx.x == 0) x[i] /= u[i * n + i];
        __syncthreads();
        double v = x[i];
        for (int r = threadIdx.x; r < i; r += blockDim.x) x[r] -= u[r * n + i] * v;
        __syncthreads();
    }
}

extern "C" __global__ void gram_schmidt(float *q, int n, int vectors) {
    float *v = q + (size_t)blockIdx.x * n * vectors;
    for (int k = 0; k < vectors; k++) {
        float norm = 0.0f;
        for (int i = 0; i < n; i++) norm += v[k * n + i] * v[k * n + i];
        float inverse = rsqrtf(norm);
        for (int i = 0; i < n; i++) v[k * n + i] *= inverse;
        for (int j = k + 1; j < vectors; j++) {
            float dot = 0.0f;
            for (int i = 0; i < n; i++) dot += v[k * n + i] * v[j * n + i];
            for (int i = 0; i < n; i++) v[j * n + i] -= dot * v[k * n + i];
        }
    }
}

extern "C" __global__ void power_iteration(const float *a, float *x, int n, int rounds) {
    extern __shared__ float vector[];
    int t = threadIdx.x;
    vector[t] = x[t];
    __syncthreads();
    for (int r = 0; r < rounds; r++) {
        float s = 0.0f;
        for (int j = 0; j < n; j++) s += a[t * n + j] * vector[j];
        __syncthreads();
        vector[t] = s * 0.5f;
        __syncthreads();
    }
    x[t] = vector[t];
}

extern "C" __global__ void transpose_tiled(const float *in, float *out, int w, int h) {
    __shared__ float tile[32][33];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int i = 0; i < 32; i += 8)
        if (x < w && y + i < h) tile[threadIdx.y + i][threadIdx.x] = in[(y + i) * w + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x, y = blockIdx.x * 32 + threadIdx.y;
#pragma unroll 1
    for (int i = 0; i < 32; i += 8)
        if (x < h && y + i < w) out[(y + i) * h + x] = tile[threadIdx.x][threadIdx.y + i];
}

extern "C" __global__ void jacobi_eigen_sweep_2x2(float3 *m, int sweeps) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    float a = m[t].x, b = m[t].y, c = m[t].z;
    for (int s = 0; s < sweeps && b * b > 1e-12f * fabsf(a * c); s++) {
        float theta = 0.5f * (c - a) / b;
        float u = (theta >= 0 ? 1.0f : -1.0f) / (fabsf(theta) + sqrtf(theta * theta + 1.0f));
        a -= u * b;
        c += u * b;
        b = 0.25f * b * u;
    }
    m[t] = make_float3(a, b, c);
}

extern "C" __global__ void determinant_small(const double *m, double *det, int n) {
    double a[6][6];
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) a[i][j] = m[(t * n + i) * n + j];
    double d = 1.0;
    for (int k = 0; k < n; k++) {
        int pivot = k;
        for (int i = k + 1; i < n; i++)
            if (fabs(a[i][k]) > fabs(a[pivot][k])) pivot = i;
        if (a[pivot][k] == 0.0) {
            d = 0.0;
            break;
        }
        if (pivot != k) {
            d = -d;
            for (int j = 0; j < n; j++) {
                double v = a[k][j];
                a[k][j] = a[pivot][j];
                a[pivot][j] = v;
            }
        }
        d *= a[k][k];
        for (int i = k + 1; i < n; i++) {
            double f = a[i][k] / a[k][k];
            for (int j = k; j < n; j++) a[i][j] -= f * a[k][j];
        }
    }
    det[t] = d;
}
