"""What goes into the bundle and what stays out."""

import ast
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from bundle import contents

from tests.source_trees import parse_app

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
        "numpy-2.4.6.dist-info/METADATA",  # the doctor tells the version
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
        "pyqtgraph/icons/peegee/peegee_512px.png",
        "_sounddevice_data/portaudio-binaries/libportaudio.dylib",
        "numpy-2.4.6.dist-info/RECORD",
        "numpy-2.4.6.dist-info/licenses/LICENSE.txt",
        "pyqtgraph/colors/maps/CET-L4.csv",
        "koebako.egg-info/PKG-INFO",  # of the checkout, not of the program
        "onnx/checker.pyi",
        "numpy/__init__.pxd",
        "pyqtgraph/py.typed",
        "onnx/tests/data.bin",
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


# Two candidates of `lab optimise`, and the cluster of an export: each says so where these are missing.
DEVELOPERS = ("onnxruntime.tools.", "onnxruntime.transformers.", "distributed")


def test_nothing_that_the_program_imports_is_left_out() -> None:
    imported = set()
    for module in parse_app():
        imported |= {alias.name for node in module.list_nodes(ast.Import) for alias in node.names}
        for node in module.list_nodes(ast.ImportFrom):
            if node.module:
                imported |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    assert "sqlite3" in imported
    left_out = {name for name in imported if not contents.reached(name)}
    assert all(name.startswith(DEVELOPERS) for name in left_out), left_out


def test_a_compressed_archive_holds_the_same(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "base.zip", "w") as archive:
        archive.writestr("a/b.pyc", b"x" * 10_000)
        archive.writestr("c.pyc", b"y")
    made = contents.deflated(str(tmp_path / "base.zip"), str(tmp_path))
    with zipfile.ZipFile(made) as archive:
        assert [(name, len(archive.read(name))) for name in archive.namelist()] == [("a/b.pyc", 10_000), ("c.pyc", 1)]
    assert Path(made).stat().st_size < 1_000


def test_modules_below_one_left_out_are_left_out() -> None:
    assert not contents.reached("pyopenjtalk.tsqyomi.model")
    assert not contents.reached("onnx.backend.test.case")
    assert contents.reached("onnx.reference.ops")
    assert contents.reached("pyopenjtalk.tsqyomi.types")
    assert contents.reached("pyopenjtalk.tsqyomi.modelling")


def test_modules_of_tests_are_known_by_their_folder() -> None:
    assert contents.is_test("numpy._core.tests._natype")
    assert contents.is_test("anyio.test")
    assert not contents.is_test("numpy._core.multiarray")
    assert not contents.is_test("pyqtgraph.testing_tools")
    assert not [path for path in (ROOT / "app").rglob("*") if path.name in contents.TEST_FOLDERS]


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
from app.adapters.openjtalk.mecab_words import parse_words
print("".join(word.pronunciation for word in parse_words("風が吹く。何の風だ？")))
from PySide6.QtWidgets import QApplication
from app.ui.theme.theme import LIGHT_THEME
from app.ui.latency.latency_chart import LatencyChart
application = QApplication(["", "-platform", "offscreen"])
chart = LatencyChart(LIGHT_THEME)
chart.resize(600, 200)
colors = {{chart.grab().toImage().pixelColor(x, 150).name() for x in range(0, 600, 7)}}
print("drawn" if LIGHT_THEME.surface in colors else colors)
"""
    done = subprocess.run([sys.executable, "-X", "utf8", "-OO", "-c", code], cwd=ROOT, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stderr[-800:]
    assert done.stdout.split() == ["カゼガフクナンノカゼダ", "drawn"]
