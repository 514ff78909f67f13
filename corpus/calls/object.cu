// new and delete of an object, and of an array.
struct Pair
{
    unsigned a, b;
    __device__ Pair(unsigned a, unsigned b) : a(a), b(b) {}
};

extern "C" __global__ void k(unsigned *out, const unsigned *in, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    Pair *p = new Pair(in[i], i);
    unsigned *q = new unsigned[(n & 7) + 1];
    if (!p || !q)
        return;
    q[n & 7] = p->a * 3 + p->b;
    out[i] = q[n & 7] ^ p->a;
    delete[] q;
    delete p;
}
