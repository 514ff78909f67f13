// A structure by value, with a grid constant
struct P { unsigned a[5]; short b; double d; };
extern "C" __global__ void k(unsigned* out, const __grid_constant__ P p){
  const unsigned* q = &p.a[threadIdx.x % 5];
  out[threadIdx.x] = *q + p.b + (unsigned)p.d;
}
