// Images: filters, shapes, sampling.
#include <cstdint>

extern "C" __global__ void blur_box_rgba(const uchar4 *in, uchar4 *out, int w, int h, int r) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    unsigned red = 0, green = 0, blue = 0, count = 0;
    for (int v = max(0, y - r); v <= min(h - 1, y + r); v++)
        for (int u = max(0, x - r); u <= min(w - 1, x + r); u++) {
            uchar4 p = in[v * w + u];
            red += p.x, green += p.y, blue += p.z, count++;
        }
    out[y * w + x] = make_uchar4(red / count, green / count, blue / count, 255);
}

extern "C" __global__ void sobel_magnitude(const uint8_t *in, uint8_t *out, int w, int h) {
    int y = blockIdx.y + 1;
    for (int x = 1 + blockIdx.x * blockDim.x + threadIdx.x; x < w - 1; x += blockDim.x * gridDim.x) {
        const uint8_t *p = in + y * w + x;
        int gx = p[-w + 1] + 2 * p[1] + p[w + 1] - p[-w - 1] - 2 * p[-1] - p[w - 1];
        int gy = p[w - 1] + 2 * p[w] + p[w + 1] - p[-w - 1] - 2 * p[-w] - p[-w + 1];
        int m = abs(gx) + abs(gy);
        out[y * w + x] = m > 255 ? 255 : m;
    }
}

extern "C" __global__ void erode_3x3(const uint8_t *in, uint8_t *out, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x < 1 || y < 1 || x > w - 2 || y > h - 2) return;
    unsigned least = 255;
#pragma unroll
    for (int dy = -1; dy <= 1; dy++)
#pragma unroll 1
        for (int dx = -1; dx <= 1; dx++) least = min(least, (unsigned)in[(y + dy) * w + x + dx]);
    out[y * w + x] = least;
}

extern "C" __global__ void convolve_separable_rows(const float *in, const float *kernel, float *out, int w, int radius) {
    extern __shared__ float line[];
    int y = blockIdx.x;
    for (int x = threadIdx.x; x < w + 2 * radius; x += blockDim.x) {
        int u = min(max(x - radius, 0), w - 1);
        line[x] = in[y * w + u];
    }
    __syncthreads();
    for (int x = threadIdx.x; x < w; x += blockDim.x) {
        float s = 0.0f;
        for (int k = 0; k <= 2 * radius; k++) s += line[x + k] * kernel[k];
        out[y * w + x] = s;
    }
}

extern "C" __global__ void resize_bilinear(const float *in, int w, int h, float *out, int ow, int oh) {
    float sx = (float)w / (float)ow, sy = (float)h / (float)oh;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < ow * oh; i += gridDim.x * blockDim.x) {
        float fx = ((float)(i % ow) + 0.5f) * sx - 0.5f, fy = ((float)(i / ow) + 0.5f) * sy - 0.5f;
        int x = max(0, min(w - 2, (int)floorf(fx))), y = max(0, min(h - 2, (int)floorf(fy)));
        float ax = fx - (float)x, ay = fy - (float)y;
        const float *p = in + y * w + x;
        out[i] = (p[0] * (1 - ax) + p[1] * ax) * (1 - ay) + (p[w] * (1 - ax) + p[w + 1] * ax) * ay;
    }
}

extern "C" __global__ void median_5x5(const uint8_t *in, uint8_t *out, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x + 2, y = blockIdx.y + 2;
    if (x >= w - 2) return;
    uint8_t v[25];
    int n = 0;
    for (int dy = -2; dy <= 2; dy++)
        for (int dx = -2; dx <= 2; dx++) v[n++] = in[(y + dy) * w + x + dx];
    for (int i = 0; i <= 12; i++)
        for (int j = i + 1; j < 25; j++)
            if (v[j] < v[i]) {
                uint8_t t = v[i];
                v[i] = v[j];
                v[j] = t;
            }
    out[y * w + x] = v[12];
}

extern "C" __global__ void floyd_steinberg_row(int16_t *row, const int16_t *above_error, int16_t *error, int w) {
    int16_t *p = row + (size_t)threadIdx.x * w;
    const int16_t *a = above_error + (size_t)threadIdx.x * w;
    int carry = 0;
    for (int x = 0; x < w; x++) {
        int v = p[x] + a[x] + carry * 7 / 16;
        int q = v < 128 ? 0 : 255;
        carry = v - q;
        p[x] = q;
        error[(size_t)threadIdx.x * w + x] = carry * 5 / 16;
    }
}

extern "C" __global__ void integral_image_columns(const uint8_t *in, uint32_t *sum, int w, int h) {
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x;
    if (x >= w) return;
    uint32_t s = 0;
    int y = 0;
    do {
        s += in[y * w + x];
        sum[y * w + x] = s;
    } while (++y < h);
}
