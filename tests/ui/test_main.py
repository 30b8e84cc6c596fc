"""Starting: what is imported when, and what happens where no window can open. Each in a process of its own."""

import importlib.util
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from app.settings.user_settings import load_settings

REPOSITORY = Path(__file__).parents[2]
BETWEEN = "----"  # after the messages of each case
DISPLAYS = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")


def run(code: str, **changes: str) -> subprocess.CompletedProcess[str]:
    """Runs Python code; displays of this machine are hidden unless given."""
    environment = {name: value for name, value in os.environ.items() if name not in DISPLAYS} | changes
    return subprocess.run([sys.executable, "-c", code], cwd=REPOSITORY, env=environment, capture_output=True, text=True, timeout=60)


def test_each_stage_of_a_start_imports_what_it_needs_and_no_more() -> None:
    """First the module of the program, then the window, then what is seen."""
    before_the_window = ("onnxruntime", "onnx", "pyopenjtalk", "sounddevice", "app.core.text.normalise")
    later = (
        "html", "app.adapters.http.http_address", "app.adapters.sound.sound_formats", "app.core.sound.pipeline", "app.core.text.normalise",
        "app.ui.actions.command_search", "app.ui.help.guide_page_view", "app.ui.latency.latency_files",
        "app.ui.settings.settings_dialog", "app.ui.audition", "app.audition.board",
        "app.ui.takes.take_panel", "app.audition.take_store", "app.ui.tasks.task_row", "app.ui.voices.voice_dialogs",
        "app.ui.voices.voice_library_dialog", "app.ui.widgets.text_dialog", "app.voices.bert_models",
        "app.voices.containers.voice_descriptions",
    )  # fmt: skip
    code = (
        "import os, sys\n"
        "def imported(names):\n"
        "    print(sorted(set(names) & sys.modules.keys()), flush=True)\n"
        "from app.ui.main import make_application\n"
        "imported(('PySide6', 'onnxruntime'))\n"
        "import app.ui.shell.main_window\n"
        f"imported({before_the_window})\n"
        "application = make_application()\n"
        "from app.settings.user_settings import Settings\n"
        "from tests.ui.window_driver import WindowDriver\n"
        "from app.ui.synthesis.speech_controller import SpeechController\n"
        "def seen():\n"
        f"    imported({later})\n"
        "    os._exit(0)\n"
        "window = WindowDriver(Settings(), SpeechController())\n"
        "window.first_paint.painted.connect(seen)\n"  # before those who wait for it
        "window.show_and_start()\n"
        "application.exec()\n"
    )
    done = run(code, QT_QPA_PLATFORM="offscreen")
    assert done.stdout.split() == ["[]"] * 3, done.stdout + done.stderr
    missing = [name for name in (*before_the_window, *later) if importlib.util.find_spec(name) is None]
    assert missing == [], "what has another name now is not watched"


def test_what_makes_qts_classes_is_imported_in_the_gui_thread() -> None:
    """In another thread pyqtgraph's import crashed the window, once in a hundred starts."""
    code = (
        "import os, sys, threading\n"
        "def watch(event, values):\n"
        "    if event == 'import' and values[0].partition('.')[0] in ('PySide6', 'pyqtgraph'):\n"
        "        if threading.current_thread() is not threading.main_thread():\n"
        "            print(values[0], flush=True)\n"
        "sys.addaudithook(watch)\n"
        "from app.ui.main import make_application\n"
        "application = make_application()\n"
        "from app.settings.user_settings import Settings\n"
        "from tests.ui.window_driver import WindowDriver\n"
        "from app.ui.synthesis.speech_controller import SpeechController\n"
        "def filled():\n"
        "    print('pyqtgraph' in sys.modules, flush=True)\n"
        "    os._exit(0)\n"
        "window = WindowDriver(Settings(latency='open'), SpeechController())\n"
        "window.latency.place.chart_made.connect(filled)\n"
        "window.show_and_start()\n"
        "application.exec()\n"
    )
    done = run(code, QT_QPA_PLATFORM="offscreen")
    assert done.stdout.split() == ["True"], done.stderr


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="elsewhere there is always a display")
@pytest.mark.parametrize(("tongue", "words"), [("en", "There is no display"), ("ja", "ディスプレイがない")])
def test_without_a_display_one_sentence_and_a_hint(tongue: str, words: str) -> None:
    done = run("import sys; from app.ui.main import main; sys.exit(main())", KOEBAKO_LANG=tongue)
    assert done.returncode == 70
    assert words in done.stderr
    assert "koebako speak" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="X11 only")
def test_a_missing_xcb_library_is_named() -> None:
    code = (
        "import ctypes, sys\ndef missing(name): raise OSError(name)\nctypes.CDLL = missing\nfrom app.ui.main import main\nsys.exit(main())"
    )
    done = run(code, DISPLAY=":0", KOEBAKO_LANG="en")
    assert done.returncode == 70
    assert "apt install libxcb-cursor0" in done.stderr


def test_the_program_opens_speaks_and_closes(tmp_path: Path) -> None:
    code = (
        "import sys\n"
        "from PySide6.QtCore import QTimer\n"
        "from tests.ui.window_driver import install_driver\n"
        "WindowDriver = install_driver()\n"
        "start = WindowDriver.show_and_start\n"
        "def start_and_close(window):\n"
        "    start(window)\n"
        "    QTimer.singleShot(1000, window.close)\n"
        "WindowDriver.show_and_start = start_and_close\n"
        "from app.ui.main import main\n"
        "sys.exit(main())"
    )
    done = run(code, QT_QPA_PLATFORM="offscreen", KOEBAKO_HOME=str(tmp_path), KOEBAKO_LANG="ja")
    assert done.returncode == 0, done.stderr
    noise = [
        line
        for line in done.stderr.splitlines()
        if not line.startswith(("This plugin does not support", "ALSA lib", "jack", "Cannot connect"))
    ]
    assert noise == []
    assert load_settings(tmp_path / "settings.json")[1] is None
    assert json.loads((tmp_path / "autosave.json").read_text(encoding="utf-8"))["lines"][0]["text"]


def catches(process: subprocess.Popen[str], number: int) -> bool:
    """True once a Linux process has a handler of its own for a signal."""
    status = Path(f"/proc/{process.pid}/status").read_text()
    mask = next(line.split()[1] for line in status.splitlines() if line.startswith("SigCgt"))
    return bool(int(mask, 16) >> (number - 1) & 1)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks into /proc")
@pytest.mark.parametrize(
    ("number", "after_s"),
    [
        pytest.param(signal.SIGINT, 0.5, id="Ctrl+C while the voice is loaded"),
        pytest.param(signal.SIGTERM, 0.5, id="the end of the session while the voice is loaded", marks=pytest.mark.slow),
        pytest.param(signal.SIGTERM, 0.01, id="the end of the session before the window is shown"),
    ],
)
def test_ctrl_c_and_the_end_of_the_session_close_it_properly(tmp_path: Path, number: signal.Signals, after_s: float) -> None:
    environment = os.environ | {"QT_QPA_PLATFORM": "offscreen", "KOEBAKO_HOME": str(tmp_path), "KOEBAKO_LANG": "en"}
    process = subprocess.Popen([sys.executable, "main.py"], cwd=REPOSITORY, env=environment, stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 30
    while not catches(process, signal.SIGTERM) and time.monotonic() < deadline:
        time.sleep(0.02)
    time.sleep(after_s)
    process.send_signal(number)
    _, stderr = process.communicate(timeout=30)
    assert process.returncode == 0, stderr
    assert "Traceback" not in stderr
    assert json.loads((tmp_path / "autosave.json").read_text(encoding="utf-8"))["lines"][0]["text"]


def test_a_fault_in_the_window_goes_to_the_log(tmp_path: Path) -> None:
    code = (
        "import sys\n"
        "from PySide6.QtCore import QTimer\n"
        "from tests.ui.window_driver import install_driver\n"
        "WindowDriver = install_driver()\n"
        "def fail(window):\n"
        "    window.show()\n"
        "    QTimer.singleShot(0, lambda: 1 / 0)\n"
        "    QTimer.singleShot(300, lambda: print(window.banner.isVisible() and window.banner.message.text()))\n"
        "    QTimer.singleShot(600, window.close)\n"
        "WindowDriver.show_and_start = fail\n"
        "from app.ui.main import main\n"
        "sys.exit(main())"
    )
    done = run(code, QT_QPA_PLATFORM="offscreen", KOEBAKO_HOME=str(tmp_path), KOEBAKO_LANG="en")
    assert "An unexpected error occurred." in done.stdout, done.stderr
    assert "Traceback" not in done.stderr
    assert "ZeroDivisionError" in (tmp_path / "logs" / "koebako.log").read_text(encoding="utf-8")


SHOWN_IN_A_BOX = (
    "import os, sys\n"
    "from PySide6.QtWidgets import QApplication, QMessageBox\n"
    "QMessageBox.exec = lambda box: print(box.text(), box.textFormat().name)\n"
    "from app.ui.main import main\n"
)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="places that only Linux has")
def test_a_data_folder_that_cannot_be_is_told_in_a_box_before_there_is_a_window() -> None:
    """One process for all of them: the program ends each time before it has a window."""
    homes = {
        "~nobody-is-called-so/x": ("the home folder was not found", 2),
        "/dev/null": ("“/dev/null” is not a folder", 2),
        "/tmp/" + "x" * 300: ("the name is too long", 2),
        "/proc/koebako": ("Cannot write to the data folder", 7),
    }
    code = (
        f"for home in {list(homes)}:\n"
        "    os.environ['KOEBAKO_HOME'] = home\n"
        "    code = main()\n"
        "    for stream in (sys.stdout, sys.stderr):\n"
        f"        print('{BETWEEN}', code, file=stream, flush=True)\n"
        "    if (application := QApplication.instance()) is not None:\n"
        "        application.shutdown()\n"
    )
    done = run(SHOWN_IN_A_BOX + code, QT_QPA_PLATFORM="offscreen", KOEBAKO_LANG="en")
    assert done.returncode == 0, done.stderr
    for stream in (done.stdout, done.stderr):
        told = re.findall(rf"(.*?){BETWEEN} (\d+)\n", stream, re.DOTALL)
        for (words, code), (expected_words, expected_code) in zip(told, homes.values(), strict=True):
            assert int(code) == expected_code
            assert expected_words in words
            assert "KOEBAKO_HOME" in words
            assert "Traceback" not in words
            assert words.endswith("PlainText\n") or stream is done.stderr


def test_a_fault_before_there_is_a_window_is_told_in_a_box(tmp_path: Path) -> None:
    fault = "import app.ui.main\napp.ui.main.acquire_window_lock = lambda _: 1 / 0\n"
    done = run(fault + SHOWN_IN_A_BOX + "sys.exit(main())", QT_QPA_PLATFORM="offscreen", KOEBAKO_HOME=str(tmp_path), KOEBAKO_LANG="en")
    assert done.returncode == 70
    assert "An unexpected error occurred." in done.stdout
    assert "Traceback" not in done.stderr
    assert "ZeroDivisionError" in (tmp_path / "logs" / "koebako.log").read_text(encoding="utf-8")
