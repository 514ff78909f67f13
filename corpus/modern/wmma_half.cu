// One product of 16x16x16 halves with sums in float
#include <mma.h>
#include <cuda_fp16.h>
#include <cuda_bf16.h>
extern "C" __global__ void k(unsigned* out, const unsigned* in, unsigned n){
  using namespace nvcuda::wmma;
  fragment<matrix_a,16,16,16,__half,row_major> a; fragment<matrix_b,16,16,16,__half,col_major> b; fragment<accumulator,16,16,16,float> c;
  __shared__ __half s[512]; __shared__ float r[256];
  for (unsigned j = threadIdx.x; j < 512; j += blockDim.x) s[j] = __ushort_as_half((unsigned short)(in[j % 64] & 0x3bff));
  __syncthreads();
  if (threadIdx.x < 32) { fill_fragment(c, 1.0f); load_matrix_sync(a, s, 16); load_matrix_sync(b, s + 256, 16); mma_sync(c, a, b, c); store_matrix_sync(r, c, 16, mem_row_major); }
  __syncthreads();
  out[4 * threadIdx.x] = __float_as_uint(r[threadIdx.x % 256]);
}
