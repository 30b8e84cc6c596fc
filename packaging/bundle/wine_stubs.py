"""System DLLs of Windows 10 that Wine 8 lacks, as stubs: enough for the program to be loaded. For the test prefix only, never shipped."""

import subprocess
import tempfile
from pathlib import Path

from bundle.pe import AMD64, SUFFIXES, imports_of, machine

MISSING = ("icuuc.dll", "bcryptprimitives.dll", "mscms.dll")
# The one function that is really called: random bytes, by way of the older system function of the same purpose.
PROCESS_PRNG = """
#include <windows.h>
BOOLEAN NTAPI SystemFunction036(PVOID buffer, ULONG length);
__declspec(dllexport) BOOL ProcessPrng(PBYTE data, SIZE_T length) { return SystemFunction036(data, (ULONG)length); }
"""


def build_stubs(programs: Path, system: Path) -> list[str]:
    """Compiles into `system` a stub of every missing DLL that a program in the folder imports; returns their names."""
    wanted: dict[str, set[str]] = {}
    for file in filter(_mentions_one, programs.rglob("*.*")):
        for library, names in imports_of(file).items():
            if library in MISSING:
                wanted.setdefault(library, set()).update(names)
    for library, names in wanted.items():
        source = "".join(f"__declspec(dllexport) void *{name}(void) {{ return 0; }}\n" for name in sorted(names - {"ProcessPrng"}))
        _compile((PROCESS_PRNG if "ProcessPrng" in names else "") + source, system / library)
    return sorted(wanted)


def _mentions_one(path: Path) -> bool:
    """Whether it is a library that names one of them: looking up every import of hundreds of libraries takes long."""
    if path.suffix.lower() not in SUFFIXES or not path.is_file():
        return False
    content = path.read_bytes()
    return any(name in content for library in MISSING for name in (library.encode(), library.upper().encode())) and machine(path) == AMD64


def _compile(source: str, target: Path) -> None:
    with tempfile.NamedTemporaryFile("w", suffix=".c") as file:
        file.write(source)
        file.flush()
        subprocess.run(["x86_64-w64-mingw32-gcc", "-shared", "-O1", "-o", str(target), file.name, "-ladvapi32"], check=True)
