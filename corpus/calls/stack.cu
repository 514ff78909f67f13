// A string in local memory: where that lies is each compiler's own.
#include <cstdio>

extern "C" __global__ void k(unsigned *out, const unsigned *in, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    char text[4];
    text[0] = 'a' + in[i] % 26;
    text[1] = 'a' + i % 26;
    text[2] = 0;
    out[i] = printf("%s\n", text);
}
