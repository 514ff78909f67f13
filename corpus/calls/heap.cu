// A string that the thread makes in memory from malloc, and prints.
#include <cstdio>
#include <cstdlib>

extern "C" __global__ void k(unsigned *out, const unsigned *in, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    char *text = (char *)malloc(4);
    if (!text)
        return;
    text[0] = 'a' + in[i] % 26;
    text[1] = 'a' + i % 26;
    text[2] = 0;
    out[i] = printf("%s\n", text);
    free(text);
}
