"""Which operators the CPU and DirectML have kernels for, as the pinned onnxruntime-directml lists them under Wine, on the counting device.

`koebako lab place` reads the tables, so that anybody sees what a GPU under Windows could run before there is one.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bundle.wine import Wine

TABLES = Path(__file__).parents[2] / "resources" / "kernels"
PROVIDERS = {"cpu": "CPUExecutionProvider", "directml": "DmlExecutionProvider"}
OPEN_END = 2**31 - 1  # of versions: as ONNX Runtime says that there is no later one
LIMIT_S = 120


def write_tables(wine: Wine, work: Path, folder: Path = TABLES) -> None:
    """Asks the wheel and writes a table a backend, a kernel a line; SystemExit where it lists none.

    Args:
        wine: a prefix that is ready.
        work: for the counting device.
    """
    from bundle.directml_check import counting_runtime, windows_path

    runtime = counting_runtime(wine, work / "counting")
    environment = {
        "PYTHONPATH": windows_path(runtime),
        "WINEDLLOVERRIDES": wine.environment["WINEDLLOVERRIDES"] + ";d3d12,dxgi,directml=n,b",
    }
    printed = wine.run([wine.python, Path(__file__), windows_path(runtime / "onnxruntime" / "capi")], LIMIT_S, environment)
    found = json.loads(next(line for line in reversed(printed.splitlines()) if line.startswith("{")))
    folder.mkdir(parents=True, exist_ok=True)
    for backend in PROVIDERS:
        if not found[backend]:
            sys.exit(f"onnxruntime-directml lists no kernels for {backend}: was the counting device found?")
        kernels = ",\n".join(json.dumps(kernel, separators=(",", ":")) for kernel in found[backend])
        target = folder / f"{backend}.json"
        target.write_text(f'{{"runtime": {json.dumps(found["runtime"])}, "kernels": [\n{kernels}\n]}}\n', encoding="utf-8", newline="\n")
        print(f"  {len(found[backend])} kernels of {found['runtime']} in {target}", flush=True)


def main(libraries: str) -> None:
    """Runs in the Windows Python: prints `runtime`, and by backend kernels: domain, operator, first and last version (null for none), types."""
    if sys.platform != "win32":
        sys.exit("Only the Windows Python loads these libraries.")
    import ctypes

    for name in ("counting", "dxgi", "d3d12", "DirectML"):  # loaded by path first, they are what ONNX Runtime finds by name
        ctypes.WinDLL(f"{libraries}\\{name}.dll")
    import onnxruntime
    from onnxruntime.capi.onnxruntime_pybind11_state import get_all_opkernel_def

    listed = get_all_opkernel_def()
    tables = {
        key: sorted((as_row(kernel) for kernel in listed if kernel.provider == name), key=json.dumps) for key, name in PROVIDERS.items()
    }
    print(json.dumps({"runtime": f"onnxruntime-directml {onnxruntime.__version__}"} | tables), flush=True)


def as_row(kernel: Any) -> list[Any]:
    """`["", "Abs", 6, null, {"T": ["float", …]}]`, of tensors the type of their items."""
    first, last = kernel.version_range
    types = {
        name: sorted(item.removeprefix("tensor(").removesuffix(")") for item in allowed)
        for name, allowed in kernel.type_constraints.items()
    }
    return [kernel.domain, kernel.op_name, first, None if last >= OPEN_END else last, dict(sorted(types.items()))]


if __name__ == "__main__":
    main(*sys.argv[1:])
