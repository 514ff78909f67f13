// Searching: by halves, in hash tables, in trees, in lists.
#include <cstdint>

extern "C" __global__ void binary_search_lower(const int *sorted, int n, const int *key, int *at, int keys) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= keys) return;
    int k = key[t], low = 0, high = n;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (sorted[middle] < k) low = middle + 1;
        else high = middle;
    }
    at[t] = low;
}

extern "C" __global__ void binary_search_steps(const float *sorted, const float *key, unsigned *at, int log2n) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    float k = key[t];
    unsigned p = 0;
    for (unsigned step = 1u << (log2n - 1); step; step >>= 1)
        if (sorted[p + step] <= k) p += step;
    at[t] = p;
}

extern "C" __global__ void hash_insert_cas(unsigned *table, const unsigned *key, int n, unsigned mask) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n) return;
    unsigned k = key[t], slot = (k * 2654435769u) & mask;
    for (;;) {
        unsigned old = atomicCAS(&table[slot], 0xffffffffu, k);
        if (old == 0xffffffffu || old == k) break;
        slot = (slot + 1) & mask;
    }
}

extern "C" __global__ void hash_lookup_probe(const uint2 *table, const unsigned *key, unsigned *value, int n, unsigned mask) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n) return;
    unsigned k = key[t], slot = (k ^ k >> 16) & mask, found = 0;
    for (unsigned probe = 0; probe <= mask; probe++) {
        uint2 e = table[slot];
        if (e.x == k) {
            found = e.y;
            break;
        }
        if (e.x == ~0u) break;
        slot = (slot + probe + 1) & mask;
    }
    value[t] = found;
}

extern "C" __global__ void tree_descend(const int4 *node, const float *feature, int features, float *out, const float *leaf) {
    // x: feature, or -1; y: left; z: right; w: bits of the threshold, or number of the leaf.
    int t = blockIdx.x * blockDim.x + threadIdx.x, at = 0;
    int4 v = node[0];
    while (v.x >= 0) {
        at = feature[t * features + v.x] < __int_as_float(v.w) ? v.y : v.z;
        v = node[at];
    }
    out[t] = leaf[v.w];
}

extern "C" __global__ void list_rank(const int *next, int *rank, int n) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n) return;
    int steps = 0;
    for (int at = t; next[at] != -1; at = next[at]) ++steps;
    rank[t] = steps;
}

extern "C" __global__ void interpolation_search(const int64_t *sorted, int n, const int64_t *key, int *at) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int64_t k = key[t];
    int low = 0, high = n - 1, found = -1;
    while (low <= high && k >= sorted[low] && k <= sorted[high]) {
        int64_t a = sorted[low], b = sorted[high];
        int p = a == b ? low : low + (int)((double)(k - a) / (double)(b - a) * (double)(high - low));
        int64_t v = sorted[p];
        if (v == k) {
            found = p;
            break;
        }
        if (v < k) low = p + 1;
        else high = p - 1;
    }
    at[t] = found;
}

extern "C" __global__ void nearest_neighbour_1d(const float *point, int n, const float *query, int *nearest, int queries) {
    for (int q = blockIdx.x * blockDim.x + threadIdx.x; q < queries; q += blockDim.x * gridDim.x) {
        float best = 3.4e38f, x = query[q];
        int at = 0;
        for (int i = n; i-- > 0;) {
            float d = fabsf(point[i] - x);
            if (d <= best) best = d, at = i;
        }
        nearest[q] = at;
    }
}
