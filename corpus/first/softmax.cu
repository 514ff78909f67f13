// Feature: softmax of rows of 32, a warp per row, its lanes in pairs by shuffles
extern "C" __global__ void softmax(const float *in, float *out, int rows) {
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= rows) return;
    float v = in[row * 32 + lane], top = v;
#pragma unroll
    for (int d = 16; d > 0; d >>= 1) top = fmaxf(top, __shfl_xor_sync(0xffffffffu, top, d));
    float e = __expf(v - top), sum = e;
#pragma unroll
    for (int d = 16; d > 0; d >>= 1) sum += __shfl_xor_sync(0xffffffffu, sum, d);
    out[row * 32 + lane] = __fdividef(e, sum);
}
