// Tables of dynamic programming.
#include <cstdint>

extern "C" __global__ void lcs_row(const char *a, const char *b, int na, int nb, int *row, int *answer) {
    // One pair a thread; the row of the table lies in global memory.
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int *r = row + (size_t)t * (nb + 1);
    const char *p = a + (size_t)t * na, *q = b + (size_t)t * nb;
    for (int j = 0; j <= nb; j++) r[j] = 0;
    for (int i = 0; i < na; i++) {
        int diagonal = 0;
        for (int j = 0; j < nb; j++) {
            int above = r[j + 1];
            r[j + 1] = p[i] == q[j] ? diagonal + 1 : max(above, r[j]);
            diagonal = above;
        }
    }
    answer[t] = r[nb];
}

extern "C" __global__ void levenshtein_local(const uint8_t *a, const uint8_t *b, int *distance, int na) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    const uint8_t *p = a + (size_t)t * na, *q = b + (size_t)t * 16;
    uint8_t row[17];
    for (int j = 0; j < 17; j++) row[j] = j;
    for (int i = 1; i <= na; i++) {
        uint8_t diagonal = row[0];
        row[0] = i;
        for (int j = 1; j < 17; j++) {
            uint8_t old = row[j];
            int best = min(row[j] + 1, row[j - 1] + 1);
            row[j] = min(best, diagonal + (p[i - 1] != q[j - 1]));
            diagonal = old;
        }
    }
    distance[t] = row[16];
}

extern "C" __global__ void knapsack_01(const int *weight, const int *value, int items, int *best, int capacity) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int *table = best + (size_t)t * (capacity + 1);
    for (int i = 0; i < items; i++) {
        int w = weight[i], v = value[i];
        for (int c = capacity; c >= w; c--) table[c] = max(table[c], table[c - w] + v);
    }
}

extern "C" __global__ void coin_change_ways(const int *coins, int kinds, unsigned *ways, int amount) {
    unsigned *w = ways + (size_t)(blockIdx.x * blockDim.x + threadIdx.x) * (amount + 1);
    w[0] = 1;
    for (int k = 0; k < kinds; k++)
        for (int a = coins[k]; a <= amount; a++) w[a] += w[a - coins[k]];
}

extern "C" __global__ void smith_waterman_diagonal(const char *a, const char *b, int n, int *h, int *best) {
    // A block goes along the diagonals of one table.
    int t = threadIdx.x;
    __shared__ int top;
    if (t == 0) top = 0;
    for (int d = 0; d < 2 * n - 1; d++) {
        __syncthreads();
        int i = t, j = d - t;
        if (i < n && j >= 0 && j < n) {
            int up = i ? h[(i - 1) * n + j] : 0, left = j ? h[i * n + j - 1] : 0, corner = i && j ? h[(i - 1) * n + j - 1] : 0;
            int v = max(max(0, corner + (a[i] == b[j] ? 2 : -1)), max(up, left) - 1);
            h[i * n + j] = v;
            atomicMax(&top, v);
        }
    }
    __syncthreads();
    if (t == 0) *best = top;
}

extern "C" __global__ void viterbi_two_states(const float *cost, const float *move, uint8_t *back, float *end, int steps) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    float a = 0.0f, b = 0.0f;
    float stay_a = move[0], to_b = move[1], to_a = move[2], stay_b = move[3];
    for (int s = 0; s < steps; s++) {
        float ca = cost[(t * steps + s) * 2], cb = cost[(t * steps + s) * 2 + 1];
        bool from_b = b + to_a < a + stay_a, from_a = a + to_b < b + stay_b;
        float na = (from_b ? b + to_a : a + stay_a) + ca, nb = (from_a ? a + to_b : b + stay_b) + cb;
        back[t * steps + s] = from_b | from_a << 1;
        a = na;
        b = nb;
    }
    end[2 * t] = a;
    end[2 * t + 1] = b;
}
