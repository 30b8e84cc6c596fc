"""Which of the Windows programs carry a signature; whether it holds is for Windows to say. Standard library only."""

import os
import struct
import sys
from collections.abc import Sequence
from pathlib import Path

SIGNING = "KOEBAKO_SIGNING"  # names the route of a release's workflow; empty or unset: nothing is signed
PE32_PLUS = 0x20B
CERTIFICATES = 4  # the place of the certificate table among the data directories


def has_signature(path: Path) -> bool:
    """Whether a Windows program has a certificate table that is within the file; False for anything else."""
    data = path.read_bytes()
    try:
        header = struct.unpack_from("<I", data, 0x3C)[0]
        if data[:2] != b"MZ" or data[header : header + 4] != b"PE\0\0":
            return False
        optional = header + 24
        directories = optional + (112 if struct.unpack_from("<H", data, optional)[0] == PE32_PLUS else 96)
        start, size = struct.unpack_from("<II", data, directories + 8 * CERTIFICATES)
    except struct.error:
        return False
    return bool(size > 0 and 0 < start <= len(data) - size)


def report_signatures(programs: Sequence[Path]) -> None:
    """Says of each program whether it is signed; SystemExit where a route for signing was chosen and one is not."""
    unsigned = [path for path in programs if not has_signature(path)]
    for path in programs:
        print(f"  {'NOT SIGNED' if path in unsigned else 'signed'}  {path.name}", flush=True)
    if unsigned and os.environ.get(SIGNING):
        sys.exit(f"{os.environ[SIGNING]} did not sign {', '.join(path.name for path in unsigned)}.")
