// Special registers of clusters
extern "C" __global__ void __cluster_dims__(2,1,1) k(unsigned* out, const unsigned* in, unsigned n){
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned a, b, c;
  asm volatile("mov.u32 %0, %%cluster_ctarank; mov.u32 %1, %%cluster_nctarank; mov.u32 %2, %%clusterid.x;" : "=r"(a), "=r"(b), "=r"(c));
  asm volatile("barrier.cluster.arrive.release; barrier.cluster.wait.acquire;" ::: "memory");
  out[4 * i] = a; out[4 * i + 1] = b; out[4 * i + 2] = c;
}
