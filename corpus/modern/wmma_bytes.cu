// One product of 16x16x16 bytes
#include <mma.h>
#include <cuda_fp16.h>
#include <cuda_bf16.h>
extern "C" __global__ void k(unsigned* out, const unsigned* in, unsigned n){
  using namespace nvcuda::wmma;
  fragment<matrix_a,16,16,16,signed char,row_major> a; fragment<matrix_b,16,16,16,signed char,col_major> b; fragment<accumulator,16,16,16,int> c;
  __shared__ __align__(32) signed char s[512]; __shared__ __align__(32) int r[256];
  for (unsigned j = threadIdx.x; j < 512; j += blockDim.x) s[j] = (signed char)in[j % 64];
  __syncthreads();
  if (threadIdx.x < 32) { fill_fragment(c, 5); load_matrix_sync(a, s, 16); load_matrix_sync(b, s + 256, 16); mma_sync(c, a, b, c); store_matrix_sync(r, c, 16, mem_col_major); }
  __syncthreads();
  out[4 * threadIdx.x] = r[threadIdx.x % 256];
}
