// Encoding and decoding of bytes.
#include <cstdint>

extern "C" __global__ void run_length_encode(const uint8_t *in, uint8_t *out, int *length, int n) {
    int t = blockIdx.x * blockDim.x + threadIdx.x, k = 0;
    const uint8_t *p = in + (size_t)t * n;
    uint8_t *q = out + (size_t)t * 2 * n;
    for (int i = 0; i < n;) {
        uint8_t v = p[i];
        int run = 1;
        while (i + run < n && run < 255 && p[i + run] == v) run++;
        q[k++] = run;
        q[k++] = v;
        i += run;
    }
    length[t] = k;
}

extern "C" __global__ void run_length_decode(const uint8_t *in, const int *start, uint8_t *out, int most) {
    int t = blockIdx.x * blockDim.x + threadIdx.x, k = 0;
    for (int i = start[t]; i < start[t + 1]; i += 2) {
        int run = in[i];
        while (run-- && k < most) out[(size_t)t * most + k++] = in[i + 1];
    }
}

extern "C" __global__ void varint_decode(const uint8_t *in, const int *start, uint64_t *value, int n) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n) return;
    uint64_t v = 0;
    int shift = 0, i = start[t];
    uint8_t b;
    do {
        b = in[i++];
        v |= (uint64_t)(b & 0x7f) << shift;
        shift += 7;
    } while (b & 0x80 && shift < 64);
    value[t] = v;
}

extern "C" __global__ void utf8_count_points(const uint8_t *text, int n, int *points) {
    int c = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) c += (text[i] & 0xc0) != 0x80;
    atomicAdd(points, c);
}

extern "C" __global__ void base64_encode_groups(const uint8_t *in, char *out, int groups) {
    for (int g = blockIdx.x * blockDim.x + threadIdx.x; g < groups; g += gridDim.x * blockDim.x) {
        uint32_t v = in[3 * g] << 16 | in[3 * g + 1] << 8 | in[3 * g + 2];
#pragma unroll 1
        for (int k = 3; k >= 0; k--) {
            int d = v & 63;
            out[4 * g + k] = d < 26 ? 'A' + d : d < 52 ? 'a' + d - 26 : d < 62 ? '0' + d - 52 : d == 62 ? '+' : '/';
            v >>= 6;
        }
    }
}

extern "C" __global__ void huffman_decode_bits(const uint32_t *bits, const int2 *tree, uint8_t *out, int symbols) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    const uint32_t *p = bits + t * 64;
    uint32_t word = p[0];
    int left = 32, next = 1;
    for (int s = 0; s < symbols; s++) {
        int node = 0;
        while (true) {
            int2 v = tree[node];
            if (v.x < 0) {
                out[t * symbols + s] = v.y;
                break;
            }
            node = word & 1 ? v.y : v.x;
            word >>= 1;
            if (--left == 0) {
                word = p[next++];
                left = 32;
            }
        }
    }
}

extern "C" __global__ void delta_zigzag_decode(const uint32_t *in, int32_t *out, int per) {
    int t = blockIdx.x * blockDim.x + threadIdx.x, v = 0;
    for (int i = t * per; i != (t + 1) * per; i++) {
        uint32_t d = in[i];
        v += (int32_t)(d >> 1 ^ -(d & 1));
        out[i] = v;
    }
}

extern "C" __global__ void lz_copy_matches(uint8_t *text, const uint16_t *distance, const uint8_t *length, int tokens) {
    // Copies may overlap what they write.
    uint8_t *p = text + (size_t)blockIdx.x * 65536;
    if (threadIdx.x) return;
    int at = 1;
    for (int k = 0; k < tokens; k++) {
        int d = distance[k], n = length[k];
        for (int i = 0; i < n; i++, at++) p[at] = p[at - d];
    }
}

extern "C" __global__ void hamming_syndrome(const uint32_t *word, uint8_t *syndrome, int n) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n) return;
    uint32_t w = word[t], s = 0;
    for (unsigned b = 1; b < 32; b++)
        if (w >> b & 1) s ^= b;
    syndrome[t] = s;
}
