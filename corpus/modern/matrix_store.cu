// stmatrix and ldmatrix
extern "C" __global__ void k(unsigned* out, const unsigned* in, unsigned n){
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ alignas(16) unsigned s[1024];
  unsigned a = (unsigned)__cvta_generic_to_shared(s) + 16 * (threadIdx.x % 32) + 512 * (threadIdx.x / 32 % 4), x, y;
  asm volatile("stmatrix.sync.aligned.m8n8.x2.shared.b16 [%0], {%1, %2};" :: "r"(a), "r"(in[4*i]), "r"(in[4*i+1]) : "memory");
  __syncwarp();
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];" : "=r"(x), "=r"(y) : "r"(a) : "memory");
  out[4 * i] = x; out[4 * i + 1] = y;
}
