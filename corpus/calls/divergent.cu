// printf on both sides of a branch that parts a warp, with values that live across it.
#include <cstdio>

extern "C" __global__ void k(unsigned *out, const unsigned *in, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    unsigned v = in[i], r = 5 * v + i;
    if (v & 1)
        r ^= printf("odd %u\n", v);
    else
        r += printf("even %u of %u\n", v, n);
    out[i] = r;
}
