// printf of floats, which C passes as doubles, and of doubles.
#include <cstdio>

extern "C" __global__ void k(unsigned *out, const unsigned *in, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float f = __uint_as_float(in[i]);
    double d = (double)in[i] * 0.5;
    out[i] = printf("%f %g %e %u\n", f, d, f * 2.0f, i);
}
