// cuda::atomic_ref at system and device scope
#include <cuda/atomic>
extern "C" __global__ void k(unsigned* out, const unsigned* in, unsigned n){
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  cuda::atomic_ref<unsigned, cuda::thread_scope_system> a(out[4 * i]);
  cuda::atomic_ref<unsigned, cuda::thread_scope_device> b(out[4 * i + 1]);
  a.fetch_max(in[4 * i], cuda::std::memory_order_acq_rel);
  b.store(in[4 * i + 1], cuda::std::memory_order_release);
  out[4 * i + 2] = a.load(cuda::std::memory_order_acquire) + b.exchange(7u);
}
