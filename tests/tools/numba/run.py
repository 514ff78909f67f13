"""Writes the PTX that numba makes of the kernels for a chip, without a GPU: run.py FOLDER CHIP."""
import pathlib
import sys

from kernels import KERNELS
from numba import cuda

out, chip = pathlib.Path(sys.argv[1]), int(sys.argv[2])
out.mkdir(parents=True, exist_ok=True)
for kernel, types in KERNELS:
    text, _ = cuda.compile(kernel, types, cc=(chip // 10, chip % 10), device=False, abi="numba")
    (out / f"{kernel.__name__}.ptx").write_text(text)
    print(kernel.__name__, len(text))
