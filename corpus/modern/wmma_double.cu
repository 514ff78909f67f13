// One product of 8x8x4 doubles
#include <mma.h>
#include <cuda_fp16.h>
#include <cuda_bf16.h>
extern "C" __global__ void k(unsigned* out, const unsigned* in, unsigned n){
  using namespace nvcuda::wmma;
  fragment<matrix_a,8,8,4,double,row_major> a; fragment<matrix_b,8,8,4,double,col_major> b; fragment<accumulator,8,8,4,double> c;
  __shared__ __align__(32) double s[64]; __shared__ __align__(32) double r[64];
  for (unsigned j = threadIdx.x; j < 64; j += blockDim.x) s[j] = (double)(int)in[j];
  __syncthreads();
  if (threadIdx.x < 32) { fill_fragment(c, 0.5); load_matrix_sync(a, s, 4); load_matrix_sync(b, s + 32, 4); mma_sync(c, a, b, c); store_matrix_sync(r, c, 8, mem_row_major); }
  __syncthreads();
  out[4 * threadIdx.x] = __double2hiint(r[threadIdx.x % 64]);
}
