#include <cstdio>
struct S { float a; int b[3]; };
__constant__ float coef[4] = {1.f, 2.f, 3.5f, 0.f};
__device__ int counter;
__device__ int *pc = &counter;
extern __shared__ float dyn[];
extern "C" __global__ void vadd(const float* a, const float* b, float* c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}
__noinline__ __device__ float helper(float x, S s) { return x * s.a + s.b[1]; }
extern "C" __global__ void __launch_bounds__(256,2) k(float* out, const double* in, int n, S s) {
  __shared__ float t[256];
  int i = threadIdx.x; 
  t[i] = (float)in[i] + coef[i & 3]; __syncthreads();
  float x = t[255 - i];
  for (int k = 0; k < n; k++) { x = helper(x, s); x += __shfl_down_sync(0xffffffff, x, 1); }
  switch (n) { case 0: x = 1; break; case 1: x = 2*x; break; case 2: x = x/3; break; case 3: x*=x; break; case 4: x=sqrtf(x); break; case 5: x = __sinf(x); break; case 7: x = atomicAdd(&counter, 2); break;}
  dyn[i] = x; __syncthreads();
  out[i] = dyn[(i+1)%n] / x;
  if (x > 100) printf("hi %f\n", x);
  *pc = i;
}
