// Helpers that every kernel inlines.
#pragma once

template <class T>
__device__ __forceinline__ T clamp(T x, T low, T high) {
  T y = x < low ? low : x;
  return y > high ? high : y;
}

__device__ __forceinline__ float warp_sum(float x) {
  for (int step = 16; step > 0; step /= 2)
    x += __shfl_xor_sync(0xffffffff, x, step);
  return x;
}

__device__ __forceinline__ int global_index() {
  return blockIdx.x * blockDim.x + threadIdx.x;
}

struct Complex {
  float re, im;
  __device__ __forceinline__ Complex operator*(Complex o) const {
    return {re * o.re - im * o.im, re * o.im + im * o.re};
  }
  __device__ __forceinline__ Complex operator+(Complex o) const {
    return {re + o.re, im + o.im};
  }
};
