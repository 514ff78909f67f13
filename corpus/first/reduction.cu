// Feature: the sum of a block of 256: shuffles in each warp, shared memory between warps
extern "C" __global__ void reduction(const float *in, float *out, int n) {
    __shared__ float partial[8];
    int i = blockIdx.x * 256 + threadIdx.x;
    float v = i < n ? in[i] : 0.0f;
#pragma unroll
    for (int d = 16; d > 0; d >>= 1) v += __shfl_down_sync(0xffffffffu, v, d);
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    if (lane == 0) partial[warp] = v;
    __syncthreads();
    if (warp == 0) {
        v = lane < 8 ? partial[lane] : 0.0f;
#pragma unroll
        for (int d = 4; d > 0; d >>= 1) v += __shfl_down_sync(0xffffffffu, v, d);
        if (lane == 0) out[blockIdx.x] = v;
    }
}
