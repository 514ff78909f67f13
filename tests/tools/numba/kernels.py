"""Kernels, written for this project, that numba compiles to PTX."""
import math

from numba import cuda, float32, int32


def saxpy(x, y, a):
    i = cuda.grid(1)
    if i < x.size:
        y[i] = a * x[i] + y[i]


def total(x, out):
    part = cuda.shared.array(256, float32)
    i = cuda.grid(1)
    part[cuda.threadIdx.x] = x[i] if i < x.size else float32(0)
    cuda.syncthreads()
    step = 128
    while step > 0:
        if cuda.threadIdx.x < step:
            part[cuda.threadIdx.x] += part[cuda.threadIdx.x + step]
        cuda.syncthreads()
        step //= 2
    if cuda.threadIdx.x == 0:
        cuda.atomic.add(out, 0, part[0])


def waves(x, out):
    i = cuda.grid(1)
    if i < x.size:
        out[i] = math.sqrt(abs(math.sin(x[i]))) / (1 + math.exp(-x[i]))


def counts(x, out):
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        cuda.atomic.add(out, x[i] % 64, 1)


def product(a, b, c):
    i, j = cuda.grid(2)
    if i < c.shape[0] and j < c.shape[1]:
        s = float32(0)
        for k in range(a.shape[1]):
            s += a[i, k] * b[k, j]
        c[i, j] = s


V, M, N = float32[:], float32[:, :], int32[:]
# The function and the types of its arguments.
KERNELS = [(saxpy, (V, V, float32)), (total, (V, V)), (waves, (V, V)), (counts, (N, N)), (product, (M, M, M))]
