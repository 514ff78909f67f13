// printf of arguments of many widths, which lie at multiples of their sizes.
#include <cstdio>

extern "C" __global__ void k(unsigned *out, const unsigned *in, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    unsigned v = in[i];
    out[i] = printf("%c %hd %d %lld %*d %p %hhu %lx %i %f\n", 'a' + v % 26, (short)v, (int)v, (long long)v << 20, 7,
                    (int)i, (void *)(size_t)v, (unsigned char)v, (unsigned long)v, -(int)v, 0.25 * v);
}
