// wgmma of 64x8x16 halves from shared memory
extern "C" __global__ void k(unsigned* out, const unsigned* in, unsigned n){
  __shared__ alignas(128) unsigned short s[2048];
  for (unsigned j = threadIdx.x; j < 2048; j += blockDim.x) s[j] = (unsigned short)(in[j % 64] & 0x3bff);
  asm volatile("fence.proxy.async;" ::: "memory");
  __syncthreads();
  float c[4] = {0, 0, 0, 0};
  unsigned long long a = ((unsigned)__cvta_generic_to_shared(s) >> 4) & 0x3fff, b = a + 64;
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
  asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0,%1,%2,%3}, %4, %5, 1, 1, 1, 0, 0;" : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]) : "l"(a), "l"(b));
  asm volatile("wgmma.commit_group.sync.aligned;\n wgmma.wait_group.sync.aligned 0;" ::: "memory");
  for (int j = 0; j < 4; j++) out[4 * threadIdx.x + j] = __float_as_uint(c[j]);
}
