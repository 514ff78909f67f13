// Trees, paths and schedules of payments.

extern "C" __global__ void binomial_option_thread(const float *price, float *value, float *work, int steps, float up, float p, float discount, float strike) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    float *v = work + (size_t)t * (steps + 1);
    float s = price[t];
    for (int i = 0; i < steps; i++) s /= up;
    for (int i = 0; i <= steps; i++) {
        v[i] = fmaxf(s - strike, 0.0f);
        s *= up * up;
    }
    for (int k = steps; k > 0; k--)
        for (int i = 0; i < k; i++) v[i] = discount * (p * v[i + 1] + (1.0f - p) * v[i]);
    value[t] = v[0];
}

extern "C" __global__ void asian_path_average(const float *shock, float *payoff, int steps, float drift, float volatility, float strike) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    float s = 1.0f, sum = 0.0f;
    for (int i = 0; i < steps; i++) {
        s *= 1.0f + drift + volatility * shock[i * gridDim.x * blockDim.x + t];
        sum += s;
    }
    payoff[t] = fmaxf(sum / (float)steps - strike, 0.0f);
}

extern "C" __global__ void barrier_knocked_out(const float *shock, float *payoff, int steps, float barrier) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    float s = 100.0f;
    bool alive = true;
    for (int i = 0; i < steps && alive; i++) {
        s += shock[t * steps + i];
        alive = s < barrier;
    }
    payoff[t] = alive ? s - 100.0f : 0.0f;
}

extern "C" __global__ void loan_months(const double *principal, double rate, const double *payment, int *months) {
    int t = threadIdx.x, m = 0;
    double p = principal[t];
    while (p > 0.0 && m < 1200) {
        p = p * (1.0 + rate) - payment[t];
        m++;
    }
    months[t] = m;
}

extern "C" __global__ void present_value(const float *flow, const int *due, float *value, int flows, float rate) {
    float v = 0.0f;
    for (int i = threadIdx.x; i < flows; i += blockDim.x) {
        float d = 1.0f;
        for (int k = 0; k < due[i]; k++) d /= 1.0f + rate;
        v += flow[i] * d;
    }
    atomicAdd(value, v);
}

extern "C" __global__ void order_book_match(int2 *bid, int2 *ask, int *traded, int n) {
    // x: price, y: amount; bids fall, asks rise.
    int2 *b = bid + (size_t)threadIdx.x * n, *a = ask + (size_t)threadIdx.x * n;
    int i = 0, j = 0, total = 0;
    while (i < n && j < n && b[i].x >= a[j].x) {
        int q = min(b[i].y, a[j].y);
        total += q;
        b[i].y -= q;
        a[j].y -= q;
        if (b[i].y == 0) i++;
        if (a[j].y == 0) j++;
    }
    traded[threadIdx.x] = total;
}
