// Populations, automata, games and puzzles.
#include <cstdint>

extern "C" __global__ void tournament_select(const float *fitness, const uint32_t *draw, int *parent, int n, int size) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n) return;
    int best = draw[t * size] % n;
    for (int k = 1; k < size; k++) {
        int c = draw[t * size + k] % n;
        if (fitness[c] > fitness[best]) best = c;
    }
    parent[t] = best;
}

extern "C" __global__ void roulette_select(const float *weight, const float *draw, int *chosen, int n) {
    int t = blockIdx.x * blockDim.x + threadIdx.x, i = 0;
    float left = draw[t];
    for (; i < n - 1; i++) {
        left -= weight[i];
        if (left <= 0.0f) break;
    }
    chosen[t] = i;
}

extern "C" __global__ void tour_length(const float2 *city, const uint16_t *tour, float *length, int n) {
    const uint16_t *p = tour + (size_t)(blockIdx.x * blockDim.x + threadIdx.x) * n;
    float2 last = city[p[n - 1]];
    float s = 0.0f;
    for (int i = 0; i < n; i++) {
        float2 c = city[p[i]];
        s += hypotf(c.x - last.x, c.y - last.y);
        last = c;
    }
    length[blockIdx.x * blockDim.x + threadIdx.x] = s;
}

extern "C" __global__ void two_opt_best(const float *distance, const int *tour, int2 *move, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n - 2) return;
    float best = 0.0f;
    int at = -1;
    int a = tour[i], b = tour[i + 1];
    for (int j = i + 2; j < n - 1; j++) {
        int c = tour[j], d = tour[j + 1];
        float gain = distance[a * n + b] + distance[c * n + d] - distance[a * n + c] - distance[b * n + d];
        if (gain > best) {
            best = gain;
            at = j;
        }
    }
    move[i] = make_int2(at, __float_as_int(best));
}

extern "C" __global__ void langton_ant(uint8_t *grid, int size, int steps, int2 *end) {
    uint8_t *g = grid + (size_t)threadIdx.x * size * size;
    int x = size / 2, y = size / 2, direction = 0;
    for (int s = 0; s < steps; s++) {
        int at = y * size + x;
        direction = (direction + (g[at] ? 1 : 3)) & 3;
        g[at] ^= 1;
        if (direction == 0) y = (y + 1) % size;
        else if (direction == 1) x = (x + 1) % size;
        else if (direction == 2) y = (y + size - 1) % size;
        else x = (x + size - 1) % size;
    }
    end[threadIdx.x] = make_int2(x, y);
}

extern "C" __global__ void minimax_nim(const uint8_t *heap, uint8_t *winning, int n) {
    // winning[k]: who is to move with k left wins; moves take 1 to *heap.
    uint8_t most = heap[threadIdx.x];
    uint8_t *w = winning + (size_t)threadIdx.x * (n + 1);
    w[0] = 0;
    for (int k = 1; k <= n; k++) {
        uint8_t win = 0;
        for (int m = 1; m <= most && m <= k; m++)
            if (!w[k - m]) {
                win = 1;
                break;
            }
        w[k] = win;
    }
}

extern "C" __global__ void sandpile_topple(int *grid, int n, int most) {
    int t = threadIdx.x;
    int *row = grid + (size_t)blockIdx.x * n;
    __shared__ int again;
    for (int round = 0; round < most; round++) {
        if (t == 0) again = 0;
        __syncthreads();
        for (int i = t; i < n; i += blockDim.x)
            if (row[i] >= 2) {
                int over = row[i] / 2;
                atomicSub(&row[i], 2 * over);
                if (i > 0) atomicAdd(&row[i - 1], over);
                if (i < n - 1) atomicAdd(&row[i + 1], over);
                again = 1;
            }
        __syncthreads();
        if (again == 0) break;
        __syncthreads();
    }
}
