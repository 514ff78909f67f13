// Shapes of control: while, do-while, several exits, continue, early return, goto, switch.
#include <cstdint>

extern "C" __global__ void two_exits_and_a_return(const int *x, int n, int *first_negative, int *first_large) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    const int *p = x + (size_t)t * n;
    for (int i = 0; i < n; i++) {
        if (p[i] < 0) {
            first_negative[t] = i;
            return;
        }
        if (p[i] > 1000000) break;
    }
    first_large[t] = 1;
}

extern "C" __global__ void continue_over_kinds(const uint8_t *kind, const float *x, float *sum, int n) {
    float a = 0.0f, b = 0.0f;
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        uint8_t k = kind[i];
        if (k == 0) continue;
        if (k == 1) {
            a += x[i];
            continue;
        }
        if (k > 7) break;
        b += x[i] * (float)k;
    }
    sum[2 * threadIdx.x] = a;
    sum[2 * threadIdx.x + 1] = b;
}

extern "C" __global__ void interpreter_stack(const uint8_t *code, int length, int *stack, int depth, int *result) {
    int t = blockIdx.x * blockDim.x + threadIdx.x, top = 0, at = 0, steps = 0;
    int *s = stack + (size_t)t * depth;
    while (at < length && steps++ < 4096) {
        uint8_t op = code[at++];
        switch (op) {
        case 0: s[top++] = code[at++]; break;
        case 1: top--; s[top - 1] += s[top]; break;
        case 2: top--; s[top - 1] -= s[top]; break;
        case 3: top--; s[top - 1] *= s[top]; break;
        case 4: s[top] = s[top - 1]; top++; break;
        case 5: if (s[--top]) at = code[at]; else at++; break;
        case 6: s[top++] = t; break;
        default: at = length; break;
        }
    }
    result[t] = top > 0 ? s[top - 1] : 0;
}

extern "C" __global__ void state_machine_comments(const char *text, int n, int *outside) {
    const char *p = text + (size_t)(blockIdx.x * blockDim.x + threadIdx.x) * n;
    int state = 0, count = 0;
    for (int i = 0; i < n; i++) {
        char c = p[i];
        switch (state) {
        case 0: if (c == '/') state = 1; else count++; break;
        case 1: if (c == '*') state = 2; else state = 0, count += 2; break;
        case 2: if (c == '*') state = 3; break;
        default: state = c == '/' ? 0 : c == '*' ? 3 : 2;
        }
    }
    outside[blockIdx.x * blockDim.x + threadIdx.x] = count;
}

extern "C" __global__ void leave_two_loops_by_goto(const int *m, int rows, int columns, int wanted, int2 *at) {
    int t = blockIdx.x * blockDim.x + threadIdx.x, r, c = 0;
    const int *p = m + (size_t)t * rows * columns;
    for (r = 0; r < rows; r++)
        for (c = 0; c < columns; c++)
            if (p[r * columns + c] == wanted) goto found;
    r = c = -1;
found:
    at[t] = make_int2(r, c);
}

extern "C" __global__ void do_while_digits(const unsigned *x, int *sum, unsigned base) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned v = x[t];
    int s = 0;
    do {
        s += v % base;
        v /= base;
    } while (v);
    sum[t] = s;
}

extern "C" __global__ void loop_under_condition(const float *x, float *y, int n, int mode) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    float s = x[t];
    if (mode & 1) {
        for (int i = 0; i < n; i++) s = s * 0.5f + x[t + i];
    } else if (mode & 2) {
        for (int i = n; i > 0; i--) s = s * 0.25f - x[t + i];
    }
    y[t] = s;
}

extern "C" __global__ void loop_with_invariant_branch(const int *x, int *y, int n, bool square) {
    int t = blockIdx.x * blockDim.x + threadIdx.x, s = 0;
    for (int i = 0; i < n; i++) {
        int v = x[i * blockDim.x + t];
        if (square) s += v * v;
        else s -= v;
    }
    y[t] = s;
}

extern "C" __global__ void alternate_by_parity(float *x, int n) {
    float *p = x + (size_t)threadIdx.x * n;
    bool up = true;
    for (int i = 1; i < n; i++, up = !up) {
        bool wrong = up ? p[i] < p[i - 1] : p[i] > p[i - 1];
        if (wrong) {
            float v = p[i];
            p[i] = p[i - 1];
            p[i - 1] = v;
        }
    }
}

extern "C" __global__ void spin_until_flag(volatile int *flag, const int *x, int *y) {
    int t = threadIdx.x;
    if (t == 0)
        while (*flag == 0) {}
    __syncthreads();
    y[t] = x[t] + 1;
}
