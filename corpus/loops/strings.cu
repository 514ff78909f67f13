// Bytes as text: search, compare, count, convert.
#include <cstdint>

extern "C" __global__ void string_length(const char *const *text, int *length, int n) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n) return;
    const char *p = text[t];
    int k = 0;
    while (p[k]) k++;
    length[t] = k;
}

extern "C" __global__ void string_compare(const char *a, const char *b, int *order, int stride, int n) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n) return;
    const unsigned char *p = (const unsigned char *)a + (size_t)t * stride, *q = (const unsigned char *)b + (size_t)t * stride;
    int d = 0;
    for (int i = 0; i < stride; i++) {
        d = p[i] - q[i];
        if (d != 0 || p[i] == 0) break;
    }
    order[t] = d;
}

extern "C" __global__ void find_substring(const char *text, int n, const char *pattern, int m, int *first) {
    int at = blockIdx.x * blockDim.x + threadIdx.x;
    if (at + m > n) return;
    int k = 0;
    while (k < m && text[at + k] == pattern[k]) ++k;
    if (k == m) atomicMin(first, at);
}

extern "C" __global__ void count_words(const char *text, int n, int per, int *words) {
    int begin = (blockIdx.x * blockDim.x + threadIdx.x) * per;
    bool inside = begin > 0 && begin <= n && text[begin - 1] > ' ';
    int count = 0;
    for (int i = begin; i < begin + per && i < n; i++) {
        bool letter = text[i] > ' ';
        if (letter && !inside) count++;
        inside = letter;
    }
    atomicAdd(words, count);
}

extern "C" __global__ void to_upper_words(uint32_t *text, int words) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < words; i += blockDim.x * gridDim.x) {
        uint32_t w = text[i];
        uint32_t heptets = w & 0x7f7f7f7fu;
        uint32_t above = heptets + 0x1f1f1f1fu, beyond = heptets + 0x05050505u;
        uint32_t letters = (above ^ beyond) & ~w & 0x80808080u;
        text[i] = w - (letters >> 2);
    }
}

extern "C" __global__ void parse_decimal(const char *text, const int *start, int *value, int n) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n) return;
    const char *p = text + start[t];
    bool negative = *p == '-';
    if (negative || *p == '+') p++;
    int v = 0;
    while (*p >= '0' && *p <= '9') v = v * 10 + (*p++ - '0');
    value[t] = negative ? -v : v;
}

extern "C" __global__ void print_hex(const uint64_t *x, char *out, int n) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n) return;
    uint64_t v = x[t];
#pragma unroll 1
    for (int i = 15; i >= 0; i--) {
        int d = v & 15;
        out[t * 16 + i] = d < 10 ? '0' + d : 'a' + d - 10;
        v >>= 4;
    }
}
