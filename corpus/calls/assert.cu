// assert: where it fails the kernel stops.
#include <cassert>

extern "C" __global__ void k(unsigned *out, const unsigned *in, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    unsigned v = in[i] % 64;
    assert(in[i] != 0x12345);
    out[i] = v;
}
