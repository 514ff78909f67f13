// printf in a function of its own, with a frame of its own.
#include <cstdio>

__device__ __noinline__ unsigned say(unsigned i, unsigned long long v)
{
    return v + printf("%u has %llu\n", i, v);
}

extern "C" __global__ void k(unsigned *out, const unsigned *in, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    out[i] = say(i, 3ull * in[i]) + say(i + 1, in[i]);
}
