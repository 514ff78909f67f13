// Fields of bits and switches
extern "C" __global__ void k(unsigned* out, const unsigned* in, unsigned n){
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  struct B { unsigned a : 5, b : 11, c : 16; } v; *reinterpret_cast<unsigned*>(&v) = in[4 * i];
  unsigned r;
  switch (v.a) { case 0: r = v.b; break; case 1: r = v.c * 3; break; case 2: r = v.b ^ v.c; break; case 3: r = 9; break; case 7: r = v.c / 7; break; case 9: r = v.b % 10; break; default: r = ~v.c; }
  v.b = r; out[4 * i] = *reinterpret_cast<unsigned*>(&v);
}
