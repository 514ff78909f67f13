// Graphs in compressed rows.
#include <cstdint>

extern "C" __global__ void bfs_level(const int *start, const int *edge, int *level, int n, int now, int *again) {
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= n || level[v] != now) return;
    for (int e = start[v]; e < start[v + 1]; e++) {
        int w = edge[e];
        if (level[w] < 0) {
            level[w] = now + 1;
            *again = 1;
        }
    }
}

extern "C" __global__ void bfs_frontier_queue(const int *start, const int *edge, unsigned *seen, const int *queue, int size, int *next, int *count) {
    for (int q = blockIdx.x * blockDim.x + threadIdx.x; q < size; q += gridDim.x * blockDim.x) {
        int v = queue[q];
        for (int e = start[v]; e < start[v + 1]; ++e) {
            int w = edge[e];
            unsigned bit = 1u << (w & 31);
            if (!(atomicOr(&seen[w >> 5], bit) & bit)) next[atomicAdd(count, 1)] = w;
        }
    }
}

extern "C" __global__ void pagerank_pull(const int *start, const int *source, const float *rank, const int *degree, float *out, int n, float damping) {
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= n) return;
    float s = 0.0f;
    for (int e = start[v]; e < start[v + 1]; e++) {
        int u = source[e];
        s += rank[u] / (float)degree[u];
    }
    out[v] = (1.0f - damping) / (float)n + damping * s;
}

extern "C" __global__ void label_propagation_min(const int *start, const int *edge, const unsigned *label, unsigned *out, int n) {
    for (int v = blockIdx.x * blockDim.x + threadIdx.x; v < n; v += gridDim.x * blockDim.x) {
        unsigned least = label[v];
        for (int e = start[v], end = start[v + 1]; e < end; e++) least = min(least, label[edge[e]]);
        out[v] = least;
    }
}

extern "C" __global__ void union_find_compress(int *parent, int n) {
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= n) return;
    int p = parent[v];
    while (p != parent[p]) p = parent[p];
    parent[v] = p;
}

extern "C" __global__ void triangle_count_merge(const int *start, const int *edge, unsigned long long *total, int n) {
    int u = blockIdx.x * blockDim.x + threadIdx.x;
    if (u >= n) return;
    unsigned found = 0;
    for (int e = start[u]; e < start[u + 1]; e++) {
        int v = edge[e];
        if (v <= u) continue;
        int i = start[u], j = start[v], ie = start[u + 1], je = start[v + 1];
        while (i < ie && j < je) {
            int a = edge[i], b = edge[j];
            if (a == b) {
                found += a > v;
                i++;
                j++;
            } else if (a < b) {
                i++;
            } else {
                j++;
            }
        }
    }
    atomicAdd(total, (unsigned long long)found);
}

extern "C" __global__ void floyd_warshall_step(int *d, int n, int k) {
    int i = blockIdx.y;
    int ik = d[i * n + k];
    for (int j = threadIdx.x; j < n; j += blockDim.x) {
        int through = ik + d[k * n + j];
        if (through < d[i * n + j]) d[i * n + j] = through;
    }
}

extern "C" __global__ void greedy_colouring(const int *start, const int *edge, int *colour, const int *order, int n) {
    if (threadIdx.x + blockIdx.x != 0) return;
    for (int k = 0; k < n; k++) {
        int v = order[k];
        uint64_t used = 0;
        for (int e = start[v]; e < start[v + 1]; e++) {
            int c = colour[edge[e]];
            if (c >= 0 && c < 64) used |= 1ull << c;
        }
        int c = 0;
        while (used & 1) {
            used >>= 1;
            c++;
        }
        colour[v] = c;
    }
}
