// printf between stores and loads of global memory: none may change places with it.
#include <cstdio>

extern "C" __global__ void k(unsigned *out, const unsigned *in, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    volatile unsigned *own = out + i;
    out[i] = in[i];
    printf("first %u\n", i);
    out[i] += 3;
    printf("second %u\n", *own);
    out[i] ^= i;
}
