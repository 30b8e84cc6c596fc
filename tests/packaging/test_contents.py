"""What goes into the bundle and what stays out."""

from __future__ import annotations

import sys

import pytest
from bundle import contents


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
