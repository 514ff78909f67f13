// One product of 16x16x16 bfloat16
#include <mma.h>
#include <cuda_fp16.h>
#include <cuda_bf16.h>
extern "C" __global__ void k(unsigned* out, const unsigned* in, unsigned n){
  using namespace nvcuda::wmma;
  fragment<matrix_a,16,16,16,__nv_bfloat16,row_major> a; fragment<matrix_b,16,16,16,__nv_bfloat16,row_major> b; fragment<accumulator,16,16,16,float> c;
  __shared__ __align__(32) __nv_bfloat16 s[512]; __shared__ __align__(32) float r[256];
  for (unsigned j = threadIdx.x; j < 512; j += blockDim.x) s[j] = __ushort_as_bfloat16((unsigned short)(in[j % 64] & 0x3fff));
  __syncthreads();
  if (threadIdx.x < 32) { fill_fragment(c, 0.0f); load_matrix_sync(a, s, 16); load_matrix_sync(b, s + 256, 16); mma_sync(c, a, b, c); for (int t = 0; t < c.num_elements; t++) c.x[t] *= 2.0f; store_matrix_sync(r, c, 16, mem_row_major); }
  __syncthreads();
  out[4 * threadIdx.x] = __float_as_uint(r[threadIdx.x % 256]);
}
