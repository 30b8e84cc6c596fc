"""Looks at every Windows program and library of a bundle: will its imports resolve on a plain Windows 10?"""

import sys
from pathlib import Path

from bundle.msvc import RUNTIME, version
from bundle.pe import imports_of, pe_files

# DLLs that every Windows 10 (1809 and later) has. `icuuc` came with 1703, `bcryptprimitives` with 7, `dxcore` is loaded late and may be absent.
SYSTEM = frozenset(
    [
        "advapi32",
        "authz",
        "avrt",
        "bcrypt",
        "bcryptprimitives",
        "cfgmgr32",
        "comctl32",
        "comdlg32",
        "crypt32",
        "d2d1",
        "d3d11",
        "d3d12",
        "d3d9",
        "dbghelp",
        "dnsapi",
        "dsound",
        "dwmapi",
        "dwrite",
        "dxcore",
        "dxgi",
        "gdi32",
        "icuuc",
        "imm32",
        "iphlpapi",
        "kernel32",
        "mpr",
        "msvcrt",
        "ncrypt",
        "netapi32",
        "ntdll",
        "ole32",
        "oleaut32",
        "opengl32",
        "pdh",
        "powrprof",
        "propsys",
        "psapi",
        "rpcrt4",
        "secur32",
        "uiautomationcore",
        "setupapi",
        "shcore",
        "shell32",
        "shlwapi",
        "synchronization",
        "ucrtbase",
        "user32",
        "userenv",
        "uxtheme",
        "version",
        "winmm",
        "winspool.drv",
        "wintrust",
        "wlanapi",
        "ws2_32",
        "wtsapi32",
        "mscms",
        "kernelbase",
    ]
)
OLDEST_RUNTIME = (14, 44)


def audit(folder: Path) -> None:
    """Prints what was found; SystemExit names imports that would not resolve, and a C++ runtime that is too old."""
    files = list(pe_files(folder))
    own = {file.name.lower() for file in files}
    unresolved = sorted(
        f"{file.relative_to(folder)} asks for {library}"
        for file in files
        for library in imports_of(file)
        if library not in own and not _system(library)
    )
    if unresolved:
        sys.exit("These imports resolve neither inside the bundle nor to Windows 10:\n" + "\n".join(unresolved))
    print(f"  ok  Every import of {len(files)} programs and libraries resolves inside the bundle or to Windows 10", flush=True)
    audit_runtime(files)


def _system(library: str) -> bool:
    return library.startswith(("api-ms-win-", "ext-ms-")) or library.removesuffix(".dll") in SYSTEM


def audit_runtime(files: list[Path]) -> None:
    """Files that share a name with Windows' own runtime must be there once, and new enough for ONNX Runtime; others are named."""
    runtime = [file for file in files if file.name.lower().startswith(RUNTIME) and "-" not in file.name]
    names = [file.name.lower() for file in runtime]
    if len(names) != len(set(names)) or "msvcp140.dll" not in names:
        sys.exit(f"The C++ runtime is not there exactly once: {', '.join(names)}")
    old = [file.name for file in runtime if version(file)[:2] < OLDEST_RUNTIME]
    if old:
        sys.exit(f"Older than {OLDEST_RUNTIME}: {', '.join(old)}")
    found = ".".join(str(part) for part in version(runtime[0]))
    private = [file for file in files if file.name.lower().startswith(RUNTIME) and "-" in file.name]
    others = "; ".join(f"{file.name} {'.'.join(map(str, version(file)))}, for the wheels that brought it" for file in private)
    print(f"  ok  One C++ runtime under its own names, {found}: {', '.join(sorted(names))}", flush=True)
    print(f"      under private names: {others or 'none'}", flush=True)
