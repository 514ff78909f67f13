// A sparse matrix product
extern "C" __global__ void k(unsigned* out, const unsigned* in, unsigned n){
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  float c0 = 0, c1 = 0, c2 = 0, c3 = 0;
  asm volatile("mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5}, {%6,%7}, {%0,%1,%2,%3}, %8, 0x0;"
    : "+f"(c0), "+f"(c1), "+f"(c2), "+f"(c3) : "r"(in[4*i] & 0x3bff3bff), "r"(in[4*i+1] & 0x3bff3bff), "r"(in[4*i+2] & 0x3bff3bff), "r"(in[4*i+3] & 0x3bff3bff), "r"(0x44444444u));
  out[4*i] = __float_as_uint(c0 + c1); out[4*i+1] = __float_as_uint(c2 + c3);
}
