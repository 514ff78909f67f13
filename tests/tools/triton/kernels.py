"""Fourteen kernels, written for this project, that Triton compiles to PTX."""
import triton
import triton.language as tl


@triton.jit
def vector_add(x, y, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    tl.store(out + at, tl.load(x + at, mask=inside) + tl.load(y + at, mask=inside), mask=inside)


@triton.jit
def saxpy(x, y, a, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    tl.store(y + at, a * tl.load(x + at, mask=inside) + tl.load(y + at, mask=inside), mask=inside)


@triton.jit
def softmax(out, x, stride, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    inside = at < columns
    v = tl.load(x + row * stride + at, mask=inside, other=float("-inf"))
    e = tl.exp(v - tl.max(v, axis=0))
    tl.store(out + row * stride + at, e / tl.sum(e, axis=0), mask=inside)


@triton.jit
def layernorm(x, out, weight, bias, stride, columns, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    inside = at < columns
    v = tl.load(x + row * stride + at, mask=inside, other=0.0)
    mean = tl.sum(v, axis=0) / columns
    d = tl.where(inside, v - mean, 0.0)
    scale = 1.0 / tl.sqrt(tl.sum(d * d, axis=0) / columns + eps)
    w = tl.load(weight + at, mask=inside)
    b = tl.load(bias + at, mask=inside)
    tl.store(out + row * stride + at, d * scale * w + b, mask=inside)


@triton.jit
def matmul(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    i = tl.program_id(0) * BM + tl.arange(0, BM)
    j = tl.program_id(1) * BN + tl.arange(0, BN)
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, K, BK):
        l = k + tl.arange(0, BK)
        x = tl.load(a + i[:, None] * K + l[None, :], mask=(i[:, None] < M) & (l[None, :] < K), other=0.0)
        y = tl.load(b + l[:, None] * N + j[None, :], mask=(l[:, None] < K) & (j[None, :] < N), other=0.0)
        acc += tl.dot(x, y)
    tl.store(c + i[:, None] * N + j[None, :], acc.to(tl.float16), mask=(i[:, None] < M) & (j[None, :] < N))


@triton.jit
def reduction(x, out, n, BLOCK: tl.constexpr):
    total = tl.zeros((BLOCK,), dtype=tl.float32)
    for start in range(0, n, BLOCK):
        at = start + tl.arange(0, BLOCK)
        total += tl.load(x + at, mask=at < n, other=0.0)
    tl.atomic_add(out, tl.sum(total, axis=0))


@triton.jit
def scan(x, out, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    v = tl.load(x + at, mask=at < n, other=0)
    tl.store(out + at, tl.cumsum(v, axis=0), mask=at < n)


@triton.jit
def histogram(x, out, n, BLOCK: tl.constexpr, BINS: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + at, mask=at < n, other=0)
    h = tl.histogram(v, BINS)
    tl.atomic_add(out + tl.arange(0, BINS), h)


@triton.jit
def gather(x, index, out, n, width, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    inside = at < n
    i = tl.load(index + at, mask=inside, other=0)
    tl.store(out + row * n + at, tl.load(x + row * width + i, mask=inside), mask=inside)


@triton.jit
def transpose(x, out, M, N, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    j = tl.program_id(1) * B + tl.arange(0, B)
    v = tl.load(x + i[:, None] * N + j[None, :], mask=(i[:, None] < M) & (j[None, :] < N))
    tl.store(out + j[:, None] * M + i[None, :], tl.trans(v), mask=(j[:, None] < N) & (i[None, :] < M))


@triton.jit
def dropout(x, out, n, p, seed, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    v = tl.load(x + at, mask=inside)
    keep = tl.rand(seed, at) > p
    tl.store(out + at, tl.where(keep, v / (1 - p), 0.0), mask=inside)


@triton.jit
def attention(q, k, v, out, scale, N, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    i = tl.program_id(0) * BM + tl.arange(0, BM)
    d = tl.arange(0, D)
    head = tl.program_id(1) * N * D
    a = tl.load(q + head + i[:, None] * D + d[None, :], mask=i[:, None] < N, other=0.0)
    best = tl.full((BM,), float("-inf"), dtype=tl.float32)
    total = tl.zeros((BM,), dtype=tl.float32)
    acc = tl.zeros((BM, D), dtype=tl.float32)
    for start in range(0, N, BN):
        j = start + tl.arange(0, BN)
        b = tl.load(k + head + j[None, :] * D + d[:, None], mask=j[None, :] < N, other=0.0)
        s = tl.where(j[None, :] < N, tl.dot(a, b) * scale, float("-inf"))
        now = tl.maximum(best, tl.max(s, axis=1))
        e = tl.exp(s - now[:, None])
        fade = tl.exp(best - now)
        total = total * fade + tl.sum(e, axis=1)
        w = tl.load(v + head + j[:, None] * D + d[None, :], mask=j[:, None] < N, other=0.0)
        acc = acc * fade[:, None] + tl.dot(e.to(tl.float16), w)
        best = now
    tl.store(out + head + i[:, None] * D + d[None, :], (acc / total[:, None]).to(tl.float16), mask=i[:, None] < N)


@triton.jit
def conv1d(x, w, out, n, TAPS: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    acc = tl.zeros((BLOCK,), dtype=tl.float32)
    for t in tl.static_range(TAPS):
        i = at + t - TAPS // 2
        acc += tl.load(w + t) * tl.load(x + i, mask=(i >= 0) & (i < n), other=0.0)
    tl.store(out + at, acc, mask=at < n)


@triton.jit
def rope(x, cos, sin, out, stride, HALF: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, HALF)
    a = tl.load(x + row * stride + at)
    b = tl.load(x + row * stride + HALF + at)
    c = tl.load(cos + row * HALF + at)
    s = tl.load(sin + row * HALF + at)
    tl.store(out + row * stride + at, a * c - b * s)
    tl.store(out + row * stride + HALF + at, b * c + a * s)


F, H, I, P = "*fp32", "*fp16", "i32", "*i32"
# Name, types of the arguments, constants.
KERNELS = [
    (vector_add, [F, F, F, I], {"BLOCK": 1024}),
    (saxpy, [F, F, "fp32", I], {"BLOCK": 512}),
    (softmax, [F, F, I, I], {"BLOCK": 1024}),
    (layernorm, [F, F, F, F, I, I, "fp32"], {"BLOCK": 1024}),
    (matmul, [H, H, H, I, I, I], {"BM": 64, "BN": 64, "BK": 32}),
    (reduction, [F, F, I], {"BLOCK": 1024}),
    (scan, [P, P, I], {"BLOCK": 1024}),
    (histogram, [P, P, I], {"BLOCK": 1024, "BINS": 64}),
    (gather, [F, P, F, I, I], {"BLOCK": 256}),
    (transpose, [F, F, I, I], {"B": 32}),
    (dropout, [F, F, I, "fp32", I], {"BLOCK": 512}),
    (attention, [H, H, H, H, "fp32", I], {"D": 64, "BM": 64, "BN": 64}),
    (conv1d, [F, F, F, I], {"TAPS": 5, "BLOCK": 256}),
    (rope, [F, F, F, F, I], {"HALF": 64}),
]
