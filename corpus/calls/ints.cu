// printf of integers of 32 bits; how many arguments it took is a result.
#include <cstdio>

extern "C" __global__ void k(unsigned *out, const unsigned *in, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    out[i] = printf("%u: %d %08x\n", i, (int)in[i], in[i] ^ n);
}
