"""What belongs into the program's folder and what does not; asked by koebako.spec for every file PyInstaller collected."""

import sys
import zipfile
from pathlib import Path

WINDOWS, MACOS = sys.platform == "win32", sys.platform == "darwin"

# Modules that none of our code reaches. `sympy` is wanted by ONNX Runtime's training tools, `_cffi` is zstandard's second, equal core;
# `tsqyomi` is a second way of pyopenjtalk to choose readings, and the only one who asks for pydantic; `htsengine` is its own voice.
# `distributed` is for a cluster of installations with Python's own packages; without it the command says so.
EXCLUDED_MODULES = [
    "tkinter", "torch", "scipy", "matplotlib", "IPython", "OpenGL", "sympy", "mpmath", "setuptools", "pip", "wheel",
    "distributed", "dask", "pytest", "_pytest", "hypothesis", "mypy", "librt", "ast_serialize", "onnx.backend.test", "onnxruntime.training",
    "onnxruntime.transformers", "onnxruntime.quantization", "onnxruntime.tools", "zstandard._cffi",
    "PySide6.QtNetwork", "PySide6.QtQml", "PySide6.QtQuick", "PySide6.QtOpenGL", "pyqtgraph.opengl",
    "pyqtgraph.examples", "pyqtgraph.jupyter", "pyqtgraph.flowchart", "pyqtgraph.console", "numpy.f2py",
    "pydoc_data", "pyopenjtalk.tsqyomi.model", "pyopenjtalk.tsqyomi.inference", "pydantic", "pydantic_core", "numpy.testing", "unittest", "doctest", "pdb",
    "PySide6.QtOpenGLWidgets", "PySide6.QtTest", "pyopenjtalk.htsengine", "multiprocessing", "pyqtgraph.multiprocess",
    "pyqtgraph.widgets.RemoteGraphicsView", "pyqtgraph.imageview", "pyqtgraph.parametertree", "pyqtgraph.widgets.ColorMapWidget",
    "pyqtgraph.widgets.DataFilterWidget", "pyqtgraph.widgets.ScatterPlotWidget",
]  # fmt: skip

# Parts of paths. Qt: only widgets, SVG and what the platforms need; no network, no embedded screens, no second look.
UNUSED = (
    "qt6qml", "qt6quick", "qt6pdf", "qt6virtualkeyboard", "eglfs", "egldeviceintegrations", "linuxfb", "vkkhrdisplay",
    "libqvnc", "platforms/libqminimal", "platforms/qminimal", "platforms/qdirect2d", "libqgtk3", "qt6network", "/networkinformation/", "/tls/",
    "/generic/", "qtiff", "qwebp", "qpdf", "qtga", "qwbmp", "qicns", "opengl32sw", "d3dcompiler", "qmodernwindowsstyle",
    "onnxruntime/datasets", "htsvoice/", "onnx/backend/test", "pyqtgraph/examples", "pyqtgraph/icons/peegee", "pyqtgraph/colors/", "koebako.egg-info/",
)  # fmt: skip
PORTAUDIO_VARIANTS = ("32bit", "arm64", "-asio", *(() if MACOS else (".dylib",)))

# Of the system's libraries Python's own go along; all others are in the documented packages, where they fit the graphics
# driver and the sound server of the machine.
PYTHONS_OWN = ("libpython3", "libcrypto", "libssl", "libffi", "libz.", "libbz2", "liblzma", "libexpat", "libuuid", "libmpdec", "libsqlite3")
SYSTEM_FOLDERS = ("/usr/lib/", "/lib/", "/usr/local/lib/lib", "/lib64/")


# Folders of packages that hold their tests, and what type checkers read.
TEST_FOLDERS = frozenset({"test", "tests", "testing"})
FOR_DEVELOPERS = (".pyi", ".pxd", "/py.typed")


def is_test(module: str) -> bool:
    """Whether a module belongs to the tests of its package; ours has none inside."""
    return not module.startswith("app.") and not TEST_FOLDERS.isdisjoint(module.split("."))


def reached(module: str) -> bool:
    """Whether a module is none of those left out."""
    return not f"{module}.".startswith(tuple(f"{left_out}." for left_out in EXCLUDED_MODULES))


def wanted(name: str, source: str) -> bool:
    """Whether a collected file belongs into the folder.

    Args:
        name: where it would be stored.
        source: where it came from.
    """
    low = "/" + name.replace("\\", "/").lower()
    if low.endswith(FOR_DEVELOPERS) or not TEST_FOLDERS.isdisjoint(low.split("/")[:-1]):
        return False
    if "/translations/" in low and "qt" in low:
        return "qtbase_ja" in low
    if ".dist-info/" in low:
        return low.endswith("/metadata")  # versions are asked of it; licences are collected in a folder of their own
    if "portaudio" in low and any(part in low for part in PORTAUDIO_VARIANTS):
        return False
    if any(part in low for part in UNUSED):
        return False
    return WINDOWS or MACOS or not _belongs_to_the_system(Path(name).name, source)


def deflated(archive: str, folder: str) -> str:
    """Writes the zip, whose entries PyInstaller only stores, into a folder with its entries compressed; returns where."""
    target = Path(folder) / f"deflated_{Path(archive).name}"
    with zipfile.ZipFile(archive) as source, zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as smaller:
        for entry in source.infolist():
            smaller.writestr(zipfile.ZipInfo(entry.filename, entry.date_time), source.read(entry), zipfile.ZIP_DEFLATED)
    return str(target)


def _belongs_to_the_system(library: str, source: str) -> bool:
    folder = str(Path(source).resolve())
    return folder.startswith(SYSTEM_FOLDERS) and ".so" in library and "/python3" not in folder and not library.startswith(PYTHONS_OWN)
