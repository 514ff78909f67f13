// What lanes ask each other behind printf, from which each comes back by itself.
#include <cstdio>

extern "C" __global__ void k(unsigned *out, const unsigned *in, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned v = in[i];
    v += printf("%u of %u\n", v, n);
    v += __shfl_xor_sync(0xffffffff, v, 1);
    unsigned above = __ballot_sync(0xffffffff, v > n);
    __syncthreads();
    out[i] = v ^ above;
}
