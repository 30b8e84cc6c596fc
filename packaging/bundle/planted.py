"""A folder as a stranger's archive may leave it: it holds whatever programs look for in the folder that they are started in.

Python code and shell scripts in it say that they ran. Libraries and settings in it are broken, so that who loads one fails.
"""

import os
import pkgutil
import sys
from pathlib import Path

PROGRAMS = ("uname", "xdg-open", "gcc", "cc", "ld", "ldconfig", "objdump", "python", "python3")  # some of them by Python and Qt
LIBRARIES = (
    "libasound.so.2", "libportaudio.so.2", "libsndfile.so", "libonnxruntime.so", "libxcb-cursor.so.0", "platforms/libqoffscreen.so",
    "DirectML.dll", "dxgi.dll", "d3d12.dll", "version.dll", "winmm.dll", "onnxruntime.dll", "libportaudio64bit.dll", "libsndfile_x64.dll",
    "msvcp140.dll", "vcruntime140.dll", "platforms/qwindows.dll",
)  # fmt: skip
DATA = (
    "qt.conf", "pyvenv.cfg", ".env", "dicrc", ".mecabrc", "mecabrc", "sudachi.json", "char.def", "unk.def", "rewrite.def", "char.bin", "system.dic",
    "sys.dic", "fonts.conf", "openssl.cnf", "prosody.bin", "flow.bin", "decoder.bin", "decoder_int8.bin", "source.bin", "bert.bin", "watched.bin",
    "bert.onnx.data", "voice.json", "settings.json", "dictionary.json",
)  # fmt: skip


def plant(folder: Path) -> Path:
    """Fills a folder; returns the file that holds a line for all that ran, as soon as anything did."""
    ran = folder / "ran.txt"
    says = f"open({str(ran)!r}, 'a').write(__name__ + '\\n')\nraise SystemExit(__name__ + ' of the current folder ran')\n"
    for name in {*sys.stdlib_module_names, *(module.name for module in pkgutil.iter_modules()), "app", "sitecustomize", "usercustomize"}:
        (folder / f"{name}.py").write_text(says, encoding="utf-8")
    (folder / "platforms").mkdir()
    for name in (*LIBRARIES, *DATA):
        (folder / name).write_bytes(b"\0 this is no library and holds no settings\n")
    for name in PROGRAMS:
        program = folder / name
        program.write_text(f"#!/bin/sh\necho {name} >> '{ran}'\nexit 1\n", encoding="utf-8")
        program.chmod(0o755)
    return ran


def careless_environment() -> dict[str, str]:
    """Variables as start-up files often make them, with entries that stand for the current folder."""
    return {"PATH": os.pathsep.join(("", ".", os.environ["PATH"])), "QT_PLUGIN_PATH": ".", "XDG_DATA_DIRS": "."}
