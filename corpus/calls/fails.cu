// assert that fails for one thread, behind what all of them store and print.
#include <cassert>
#include <cstdio>

extern "C" __global__ void k(unsigned *out, const unsigned *in, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    printf("%u\n", i);
    out[i] = in[i];
    assert(i != 3);
    out[i] = i;
}
