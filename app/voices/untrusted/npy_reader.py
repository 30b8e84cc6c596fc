"""Arrays in NumPy's own format. Nothing is unpickled, and no claim of a header is believed before its size is that of the data."""

from __future__ import annotations

import re
from math import prod

import numpy as np

NPY_MAGIC = b"\x93NUMPY"
MAX_NPY_AXES, MAX_NPY_AXIS_LENGTH = 8, 1 << 31
_NPY_HEADER_PATTERNS = {  # numpy writes a Python literal; these three items are all it may hold
    "descr": re.compile(r"'descr':\s*'([<>=|]?(?:f[248]|[iu][1248]|b1))'"),
    "fortran_order": re.compile(r"'fortran_order':\s*(True|False)"),
    "shape": re.compile(r"'shape':\s*\(([\d,\s]{0,99})\)"),
}


def parse_npy_array(content: bytes) -> np.ndarray:
    """Return the numbers or truth values of a whole `.npy`; raise ValueError if the content is anything else."""
    if not content.startswith(NPY_MAGIC) or len(content) < 12:
        raise ValueError("no npy file")
    # The length of the header has 2 bytes in version 1, else 4.
    start = 10 if content[6] == 1 else 12
    length = int.from_bytes(content[8:start], "little")
    header = content[start : start + length].decode("latin-1")
    items = {name: pattern.search(header) for name, pattern in _NPY_HEADER_PATTERNS.items()}
    descr, order, sizes = items["descr"], items["fortran_order"], items["shape"]
    if len(header) != length or not (descr and order and sizes):
        raise ValueError("header of another kind")
    shape = [int(size) for size in sizes[1].split(",") if size.strip()]
    data, dtype = content[start + length :], np.dtype(descr[1])
    if len(shape) > MAX_NPY_AXES or max(shape, default=0) > MAX_NPY_AXIS_LENGTH or prod(shape) * dtype.itemsize != len(data):
        raise ValueError("shape and size disagree")
    return np.frombuffer(data, dtype).reshape(shape, order="F" if order[1] == "True" else "C")
