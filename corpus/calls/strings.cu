// printf of strings in global memory, one of them chosen by the thread.
#include <cstdio>

extern "C" __global__ void k(unsigned *out, const unsigned *in, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    const char *size = in[i] > n ? "large" : "small";
    out[i] = printf("%s: %u is %s (%d%%)\n", "value", in[i], size, 100);
}
