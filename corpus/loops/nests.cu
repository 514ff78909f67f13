// Nests: triangular, three and four deep, bounds that depend on other loops, loops one after the other.
#include <cstdint>

extern "C" __global__ void pairs_triangular(const float *x, float *out, int n) {
    float s = 0.0f;
    for (int i = 0; i < n; i++)
        for (int j = i + 1; j < n; j++) s += fabsf(x[i] - x[j]);
    out[threadIdx.x] = s;
}

extern "C" __global__ void triples_sum_zero(const int *x, int *count, int n) {
    int c = 0, i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        for (int j = i + 1; j < n; j++)
            for (int k = j + 1; k < n; k++) c += x[i] + x[j] + x[k] == 0;
    atomicAdd(count, c);
}

extern "C" __global__ void four_deep_contraction(const float *a, const float *b, float *c, int n) {
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    float s = 0.0f;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            for (int k = 0; k < n; k++)
                for (int l = 0; l < n; l++) s += a[((p * n + i) * n + j) * n + k] * b[(k * n + j) * n + l];
    c[p] = s;
}

extern "C" __global__ void rows_until_sum(const int *m, int *row_of, int rows, int columns, int limit) {
    int t = threadIdx.x, s = 0, r;
    for (r = 0; r < rows && s < limit; r++)
        for (int c = 0; c <= r && c < columns; c++) s += m[(t * rows + r) * columns + c];
    row_of[t] = r;
}

extern "C" __global__ void sieve_of_block(uint8_t *composite, int n) {
    uint8_t *p = composite + (size_t)blockIdx.x * n;
    for (int i = 2; i * i < n; i++)
        if (!p[i])
            for (int j = i * i + threadIdx.x * i; j < n; j += blockDim.x * i) p[j] = 1;
}

extern "C" __global__ void one_after_the_other(const int *x, int *y, int n, int m) {
    int a = 0, b = 1, c = 0;
    for (int i = 0; i < n; i++) a += x[i];
    for (int i = m; i > 0; i--) b = b * 3 + x[i];
    for (int i = 0; i < n; i += 2) c ^= x[i] + a;
    y[threadIdx.x] = a + b * c;
}

extern "C" __global__ void inner_of_constant_count(const float *x, float *y, int n) {
    for (int i = threadIdx.x; i < n; i += 64) {
        float s = x[i];
#pragma unroll 1
        for (int k = 0; k < 7; k++) s = s * s - 0.75f;
        y[i] = s;
    }
}

extern "C" __global__ void outer_of_constant_count(const float *x, float *y, int n) {
#pragma unroll 1
    for (int k = 0; k < 3; k++) {
        float s = 0.0f;
        for (int i = k; i < n; i += 3) s += x[i];
        y[threadIdx.x * 3 + k] = s;
    }
}

extern "C" __global__ void pascal_in_place(unsigned *row, int n) {
    unsigned *r = row + (size_t)threadIdx.x * (n + 1);
    r[0] = 1;
    for (int i = 1; i <= n; i++) {
        r[i] = 1;
        for (int j = i - 1; j > 0; j--) r[j] += r[j - 1];
    }
}

extern "C" __global__ void queens_count(int *solutions, int n) {
    // Columns by backtracking with masks on a small stack, the first by the thread.
    unsigned all = (1u << n) - 1, columns[12], left[12], right[12], open[12];
    int depth = 1, found = 0;
    unsigned first = 1u << threadIdx.x;
    columns[1] = first, left[1] = first << 1, right[1] = first >> 1;
    open[1] = all & ~(columns[1] | left[1] | right[1]);
    while (depth > 0) {
        unsigned o = open[depth];
        if (o == 0) {
            depth--;
            continue;
        }
        unsigned b = o & -o;
        open[depth] = o ^ b;
        if (depth == n - 1) {
            found++;
            continue;
        }
        columns[depth + 1] = columns[depth] | b;
        left[depth + 1] = (left[depth] | b) << 1;
        right[depth + 1] = (right[depth] | b) >> 1;
        depth++;
        open[depth] = all & ~(columns[depth] | left[depth] | right[depth]);
    }
    solutions[threadIdx.x] = found;
}
