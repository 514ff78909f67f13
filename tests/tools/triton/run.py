"""Compiles the kernels with Triton for a chip, without a GPU, into a folder: run.py FOLDER CHIP.

The compiler is the one that TRITON_PTXAS_PATH names, or TRITON_PTXAS_BLACKWELL_PATH for chips from sm_90 on.
"""
import pathlib
import re
import sys

import triton
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource
from kernels import KERNELS

out, chip = pathlib.Path(sys.argv[1]), int(sys.argv[2])
out.mkdir(parents=True, exist_ok=True)
bad = 0
for kernel, types, constants in KERNELS:
    names = kernel.arg_names
    signature = dict(zip(names, types)) | {n: "constexpr" for n in constants}
    source = ASTSource(kernel, signature=signature, constexprs={(names.index(n),): v for n, v in constants.items()})
    name = kernel.__name__
    try:
        made = triton.compile(source, target=GPUTarget("cuda", chip, 32))
        # Where Triton is installed on this machine says nothing to others.
        (out / f"{name}.ptx").write_text(re.sub(r'"/[^"]*/triton/', '"/triton/', made.asm["ptx"]))
        print(name, "compiled", len(made.asm["cubin"]))
    except Exception as e:
        bad += 1
        print(name, "failed", " | ".join(str(e).splitlines()[:6]))
print(len(KERNELS) - bad, "of", len(KERNELS))
