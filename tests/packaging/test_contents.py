"""What goes into the bundle and what stays out."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from bundle import contents

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    "name",
    [
        "onnxruntime/capi/DirectML.dll",
        "PySide6\\plugins\\platforms\\qwindows.dll",
        "PySide6/Qt/plugins/platforms/libqxcb.so",
        "PySide6/Qt/plugins/platforms/libqoffscreen.so",
        "PySide6/Qt/translations/qtbase_ja.qm",
        "PySide6/QtOpenGL.abi3.so",  # pyqtgraph imports it
        "_sounddevice_data/portaudio-binaries/libportaudio64bit.dll",
        "pyopenjtalk/dictionary/sys.dic",
        "pyopenjtalk/dictionary/left-id.def",  # users' own dictionaries are built with it
        "pyopenjtalk/htsengine.pyd",  # pyopenjtalk imports it
    ],
)
def test_what_the_program_needs_is_kept(name: str) -> None:
    assert contents.wanted(name, "/site-packages/x")


@pytest.mark.parametrize(
    "name",
    [
        "_sounddevice_data/portaudio-binaries/libportaudio32bit.dll",
        "_sounddevice_data/portaudio-binaries/libportaudioarm64.dll",
        "_sounddevice_data/portaudio-binaries/libportaudio64bit-asio.dll",
        "PySide6/Qt/translations/qtbase_de.qm",
        "PySide6/translations/qt_ja.qm",
        "PySide6/Qt/plugins/platformthemes/libqgtk3.so",
        "PySide6/Qt/lib/libQt6Network.so.6",
        "PySide6\\plugins\\tls\\qschannelbackend.dll",
        "pyopenjtalk/htsvoice/mei_normal.htsvoice",
        "onnxruntime/capi/onnxruntime.dll",
        "pyqtgraph/icons/peegee/peegee_512px.png",
        "koebako.egg-info/PKG-INFO",  # of the checkout, not of the program
    ],
)
def test_what_it_does_not_need_is_left_out(name: str) -> None:
    assert not contents.wanted(name, "/site-packages/x")


@pytest.mark.skipif(sys.platform == "win32", reason="libraries of a Unix system")
def test_libraries_of_the_system_stay_there_except_pythons_own() -> None:
    assert not contents.wanted("libglib-2.0.so.0", "/usr/lib/x86_64-linux-gnu/libglib-2.0.so.0")
    assert not contents.wanted("libportaudio.so.2", "/usr/lib/x86_64-linux-gnu/libportaudio.so.2")
    assert contents.wanted("libssl.so.3", "/usr/lib/x86_64-linux-gnu/libssl.so.3")
    assert contents.wanted("libQt6Core.so.6", "/venv/lib/python3.11/site-packages/PySide6/Qt/lib/libQt6Core.so.6")
    assert contents.wanted("lib-dynload/_ssl.so", "/usr/lib/python3.11/lib-dynload/_ssl.so")


def test_modules_below_one_left_out_are_left_out() -> None:
    assert not contents.reached("pyopenjtalk.tsqyomi.model")
    assert not contents.reached("onnx.backend.test.case")
    assert contents.reached("pyopenjtalk.tsqyomi.types")
    assert contents.reached("pyopenjtalk.tsqyomi.modelling")


def test_what_is_left_out_is_neither_missed_nor_used() -> None:
    """The front end reads as it does otherwise, and plots are drawn, with empty modules in place of some."""
    code = f"""
import runpy, sys
class LeftOut:
    def find_spec(self, name, path=None, target=None):
        if any(f"{{name}}.".startswith(f"{{item}}.") for item in {contents.EXCLUDED_MODULES!r}):
            raise ModuleNotFoundError(name)
sys.meta_path.insert(0, LeftOut())
runpy.run_path({str(ROOT / "packaging" / "bundle" / "stand_ins.py")!r})
from app.adapters.openjtalk_words import analyse
print("".join(word.pronunciation for word in analyse("風が吹く。何の風だ？")))
import app.ui.widgets.latency_chart
"""
    done = subprocess.run([sys.executable, "-OO", "-c", code], cwd=ROOT, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stderr[-800:]
    assert done.stdout.strip() == "カゼガフクナンノカゼダ"
