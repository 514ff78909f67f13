// cuda::memcpy_async into shared memory through a pipeline of two stages
#include <cuda/pipeline>
extern "C" __global__ void k(unsigned* out, const unsigned* in, unsigned n){
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ alignas(16) unsigned s[2][1024];
  auto pipe = cuda::make_pipeline();
  unsigned sum = 0;
  for (int stage = 0; stage < 2; stage++) {
    pipe.producer_acquire();
    cuda::memcpy_async(&s[stage][threadIdx.x], &in[4 * i + stage], sizeof(unsigned), pipe);
    pipe.producer_commit();
  }
  for (int stage = 0; stage < 2; stage++) {
    cuda::pipeline_consumer_wait_prior<0>(pipe);
    __syncthreads();
    sum += s[stage][blockDim.x - 1 - threadIdx.x];
    __syncthreads();
    pipe.consumer_release();
  }
  out[4 * i] = sum;
}
