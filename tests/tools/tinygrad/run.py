"""Writes the PTX that tinygrad makes of some tensor expressions for a chip, without a GPU: run.py FOLDER CHIP."""
import pathlib
import sys

from tinygrad import Tensor, dtypes
from tinygrad.codegen import to_program
from tinygrad.helpers import Target
from tinygrad.renderer.ptx import PTXRenderer
from tinygrad.uop.ops import Ops

out, chip = pathlib.Path(sys.argv[1]), int(sys.argv[2])
out.mkdir(parents=True, exist_ok=True)
x, y = Tensor.empty(256, 256), Tensor.empty(256, 256)
h = Tensor.empty(64, 64, dtype=dtypes.half)
CASES = {
    "add": x + y,
    "sum": x.sum(),
    "softmax": x.softmax(),
    "gelu": x.gelu(),
    "product": x @ y,
    "half": (h @ h).relu(),
    "where": (x > 0).where(x, y * 2),
    "cast": (x * 255).cast(dtypes.uint8),
    "cumsum": x.cumsum(1),
}


def kernels(tensor):
    linear, _ = tensor.linear_with_vars()
    return [call.src[0] for call in linear.src]


renderer = PTXRenderer(Target("CUDA", arch=f"sm_{chip}"))
for name, tensor in CASES.items():
    for index, item in enumerate(kernels(tensor)):
        if item.op is Ops.SINK:
            program = to_program(item, renderer)
            text = next(u.arg for u in program.toposort() if u.op is Ops.SOURCE)
            (out / f"{name}_{index}.ptx").write_text(text.replace("VERSION", "7.8").replace("TARGET", f"sm_{chip}"))
            print(name, index, len(text))
