// Layers of networks: softmax, norms, attention, losses.
#include <cuda_fp16.h>
#include <cstdint>

extern "C" __global__ void softmax_row_thread(const float *x, float *y, int rows, int n) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    const float *in = x + (size_t)r * n;
    float *out = y + (size_t)r * n;
    float top = -INFINITY, sum = 0.0f;
    for (int i = 0; i < n; i++) top = fmaxf(top, in[i]);
    for (int i = 0; i < n; i++) sum += __expf(in[i] - top);
    float inverse = 1.0f / sum;
    for (int i = 0; i < n; i++) out[i] = __expf(in[i] - top) * inverse;
}

extern "C" __global__ void softmax_online_block(const float *x, float *y, int n) {
    __shared__ float m[128], d[128];
    const float *in = x + (size_t)blockIdx.x * n;
    float top = -1e30f, sum = 0.0f;
    for (int i = threadIdx.x; i < n; i += 128) {
        float v = in[i], now = fmaxf(top, v);
        sum = sum * exp2f(top - now) + exp2f(v - now);
        top = now;
    }
    m[threadIdx.x] = top, d[threadIdx.x] = sum;
    __syncthreads();
    for (int s = 64; s; s >>= 1) {
        if (threadIdx.x < s) {
            float a = m[threadIdx.x], b = m[threadIdx.x + s], t = fmaxf(a, b);
            d[threadIdx.x] = d[threadIdx.x] * exp2f(a - t) + d[threadIdx.x + s] * exp2f(b - t);
            m[threadIdx.x] = t;
        }
        __syncthreads();
    }
    for (int i = threadIdx.x; i < n; i += 128) y[(size_t)blockIdx.x * n + i] = exp2f(in[i] - m[0]) / d[0];
}

extern "C" __global__ void layernorm_warp(const float *x, const float *gain, const float *bias, float *y, int n, float epsilon) {
    int row = blockIdx.x, lane = threadIdx.x;
    float s = 0.0f, q = 0.0f;
    for (int i = lane; i < n; i += 32) {
        float v = x[row * n + i];
        s += v;
        q += v * v;
    }
#pragma unroll
    for (int d = 16; d > 0; d >>= 1) {
        s += __shfl_xor_sync(0xffffffff, s, d);
        q += __shfl_xor_sync(0xffffffff, q, d);
    }
    float mean = s / (float)n, r = rsqrtf(q / (float)n - mean * mean + epsilon);
    for (int i = lane; i < n; i += 32) y[row * n + i] = (x[row * n + i] - mean) * r * gain[i] + bias[i];
}

extern "C" __global__ void rmsnorm_half(const half *x, const half *weight, half *y, int n) {
    const half2 *in = (const half2 *)(x + (size_t)blockIdx.x * n);
    __shared__ float part[8];
    float s = 0.0f;
    for (int i = threadIdx.x; i < n / 2; i += blockDim.x) {
        float2 v = __half22float2(in[i]);
        s += v.x * v.x + v.y * v.y;
    }
    for (int d = 16; d > 0; d >>= 1) s += __shfl_xor_sync(~0u, s, d);
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = s;
    __syncthreads();
    s = 0.0f;
    for (int k = 0; k < blockDim.x / 32; k++) s += part[k];
    half2 r = __float2half2_rn(rsqrtf(s / (float)n));
    for (int i = threadIdx.x; i < n / 2; i += blockDim.x)
        ((half2 *)(y + (size_t)blockIdx.x * n))[i] = __hmul2(__hmul2(in[i], r), ((const half2 *)weight)[i]);
}

extern "C" __global__ void attention_one_query(const float *q, const float *k, const float *v, float *out, int tokens, int width) {
    extern __shared__ float score[];
    int t = threadIdx.x;
    for (int i = t; i < tokens; i += blockDim.x) {
        float s = 0.0f;
        for (int d = 0; d < width; d++) s += q[d] * k[i * width + d];
        score[i] = s;
    }
    __syncthreads();
    float top = score[0];
    for (int i = 1; i < tokens; i++) top = fmaxf(top, score[i]);
    for (int d = t; d < width; d += blockDim.x) {
        float sum = 0.0f, o = 0.0f;
        for (int i = 0; i < tokens; i++) {
            float e = __expf(score[i] - top);
            sum += e;
            o += e * v[i * width + d];
        }
        out[d] = o / sum;
    }
}

extern "C" __global__ void attention_streaming(const float *q, const float *k, const float *v, float *out, int tokens) {
    // Running maximum and sum, width 16, one query a thread.
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    float own[16], o[16];
#pragma unroll
    for (int d = 0; d < 16; d++) own[d] = q[t * 16 + d], o[d] = 0.0f;
    float m = -1e30f, l = 0.0f;
    for (int i = 0; i <= t && i < tokens; i++) {
        float s = 0.0f;
#pragma unroll
        for (int d = 0; d < 16; d++) s += own[d] * k[i * 16 + d];
        float now = fmaxf(m, s), c = __expf(m - now), e = __expf(s - now);
        l = l * c + e;
#pragma unroll
        for (int d = 0; d < 16; d++) o[d] = o[d] * c + e * v[i * 16 + d];
        m = now;
    }
#pragma unroll
    for (int d = 0; d < 16; d++) out[t * 16 + d] = o[d] / l;
}

extern "C" __global__ void cross_entropy_labels(const float *logit, const int64_t *label, float *loss, int classes, int rows) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    if (label[r] < 0) {
        loss[r] = 0.0f;
        return;
    }
    float top = logit[r * classes], s = 0.0f;
    for (int c = 1; c < classes; c++) top = fmaxf(top, logit[r * classes + c]);
    for (int c = 0; c < classes; c++) s += expf(logit[r * classes + c] - top);
    loss[r] = logf(s) + top - logit[r * classes + label[r]];
}

extern "C" __global__ void rope_rotate(float2 *x, const float2 *angle, int heads, int pairs) {
    int token = blockIdx.x;
    for (int i = threadIdx.x; i < heads * pairs; i += blockDim.x) {
        float2 a = angle[token * pairs + i % pairs], v = x[token * heads * pairs + i];
        x[token * heads * pairs + i] = make_float2(v.x * a.x - v.y * a.y, v.x * a.y + v.y * a.x);
    }
}
