// printf in a loop whose rounds differ from thread to thread.
#include <cstdio>

extern "C" __global__ void k(unsigned *out, const unsigned *in, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    unsigned sum = 0;
    for (unsigned j = 0; j < (in[i] & 3); j++)
        sum += printf("%u.%u: %u\n", i, j, sum);
    out[i] = sum;
}
