// Convolution, pooling, embeddings, optimizers.
#include <cuda_fp16.h>
#include <cstdint>

extern "C" __global__ void conv2d_direct(const float *in, const float *w, float *out, int channels, int height, int width, int k) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y, f = blockIdx.z;
    int ow = width - k + 1, oh = height - k + 1;
    if (x >= ow) return;
    float s = 0.0f;
    for (int c = 0; c < channels; c++)
        for (int v = 0; v < k; v++)
            for (int u = 0; u < k; u++) s += in[(c * height + y + v) * width + x + u] * w[((f * channels + c) * k + v) * k + u];
    out[(f * oh + y) * ow + x] = s;
}

extern "C" __global__ void conv2d_3x3_padded(const float *in, const float *w, float *out, int channels, int n) {
    int x = threadIdx.x, y = blockIdx.x;
    float s = 0.0f;
#pragma unroll 1
    for (int c = 0; c < channels; c++) {
#pragma unroll
        for (int dy = -1; dy <= 1; dy++)
#pragma unroll
            for (int dx = -1; dx <= 1; dx++) {
                int u = x + dx, v = y + dy;
                if (u >= 0 && u < n && v >= 0 && v < n) s += in[(c * n + v) * n + u] * w[c * 9 + (dy + 1) * 3 + dx + 1];
            }
    }
    out[y * n + x] = fmaxf(s, 0.0f);
}

extern "C" __global__ void depthwise_half(const half *in, const half *w, half *out, int channels, int length, int taps) {
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= channels) return;
    for (int t = 0; t + taps <= length; t++) {
        half s = __float2half(0.0f);
        for (int k = 0; k < taps; k++) s = __hfma(in[(t + k) * channels + c], w[k * channels + c], s);
        out[t * channels + c] = s;
    }
}

extern "C" __global__ void maxpool_with_index(const float *in, float *out, int *where, int width, int window, int stride, int ow) {
    for (int o = blockIdx.x * blockDim.x + threadIdx.x; o < ow; o += blockDim.x * gridDim.x) {
        int begin = o * stride, end = min(begin + window, width), at = begin;
        float best = in[begin];
        for (int i = begin + 1; i < end; i++)
            if (in[i] > best) {
                best = in[i];
                at = i;
            }
        out[o] = best;
        where[o] = at;
    }
}

extern "C" __global__ void embedding_bag_sum(const float *table, const int64_t *index, const int64_t *offset, float *out, int width) {
    int64_t begin = offset[blockIdx.x], end = offset[blockIdx.x + 1];
    for (int d = threadIdx.x; d < width; d += blockDim.x) {
        float s = 0.0f;
        for (int64_t i = begin; i < end; ++i) s += table[index[i] * width + d];
        out[blockIdx.x * width + d] = s;
    }
}

extern "C" __global__ void adam_step(float *w, const float *g, float *m, float *v, int64_t n, float rate, float b1, float b2, float epsilon) {
    for (int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; i < n; i += (int64_t)gridDim.x * blockDim.x) {
        float d = g[i], a = b1 * m[i] + (1 - b1) * d, b = b2 * v[i] + (1 - b2) * d * d;
        m[i] = a;
        v[i] = b;
        w[i] -= rate * a / (sqrtf(b) + epsilon);
    }
}

extern "C" __global__ void lstm_cell_steps(const float *in, float *state, int steps, int n) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    float h = 0.0f, c = 0.0f;
    for (int s = 0; s < steps; s++) {
        float x = in[s * n + t] + 0.5f * h;
        float gate = 1.0f / (1.0f + __expf(-x));
        c = gate * c + (1.0f - gate) * tanhf(x);
        h = gate * c;
    }
    state[2 * t] = h;
    state[2 * t + 1] = c;
}

extern "C" __global__ void dropout_mask_words(float *x, const uint32_t *mask, float scale, int words) {
    for (int w = blockIdx.x * blockDim.x + threadIdx.x; w < words; w += gridDim.x * blockDim.x) {
        uint32_t m = mask[w];
        for (int b = 0; b < 32; b++) x[w * 32 + b] = m >> b & 1 ? x[w * 32 + b] * scale : 0.0f;
    }
}
