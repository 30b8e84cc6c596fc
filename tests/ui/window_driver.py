"""The main window as tests drive it: the one place that knows where its parts are.

A change of the window's structure changes the table here, and no test.
"""

import os
import subprocess
import sys
import textwrap
from operator import attrgetter
from pathlib import Path
from typing import Any

from app.common.files.paths import HOME_VARIABLE
from app.ui.shell import main_window
from tests.run_counts import counts

# The parts that the window creates on first use, and the feature that does it.
LAZY_PARTS = {
    "candidate_tests": "_audition",
    "drags": "_files",
    "cast": "_cast",
    "blind_tests": "_audition",
    "precision_tests": "_audition",
    "board": "_audition",
    "export": "_files",
    "importing": "_files",
    "script_export": "_files",
    "lab": "_lab",
    "natural": "_voices",
    "read_aloud": "_read_aloud",
    "service": "_service",
    "chat": "_service",
}


NEVER_MS = 3_600_000
REPOSITORY = Path(__file__).parents[2]


def _place(path: str) -> Any:
    """Return a property that reads this path from the window."""
    return property(attrgetter(path))


class WindowDriver(main_window.MainWindow):
    """The window itself, with a name for every part that tests touch."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        counts["windows opened"] += 1
        super().__init__(*arguments, **named)
        self.messages.notice_ms = NEVER_MS  # no test finds a message gone because the machine was busy

    # shell
    window_actions = _place("_context.actions")
    menus = _place("_menus")
    edit_bar = _place("_edit_bar")
    status = _place("_status")
    columns = _place("_columns")
    updates = _place("_updates")
    dialogs = _place("_dialogs")
    theme_switcher = _place("_theme_switcher")
    keeping = _place("_autosave_guard")
    leaving = _place("_close_guard")
    incoming = _place("_files.incoming")
    controller = _place("_speech")
    speech_state = _place("_speech.state")
    speech_engine = _place("_speech.engine")
    speech_thread = _place("_speech._thread")
    history = _place("_speech.history")
    latency = _place("_latency.dock")
    latency_fold = _place("_latency.fold")

    # lines
    left = _place("_script.panel")
    script = _place("_script.view")
    transport = _place("_script.transport")
    messages = _place("_script.panel.messages")
    notice = _place("_script.notice")
    banner = _place("_script.banner")
    model = _place("_script.model")
    seeds = _place("_script.seeds")
    selection = _place("_script.selection")
    search = _place("_script.search")
    commands = _place("_script.commands")
    script_file = _place("_script.autosave")
    duration = _place("_script.duration")
    lines = _place("document.script.lines")
    undo_stack = _place("document.stack")

    # the panel at the side
    side = _place("_context.side")
    sliders = _place("_context.side.sliders")
    styles = _place("_context.side.styles")
    presets = _place("_context.side.presets")
    voice_card = _place("_context.side.card")
    voice_chooser = _place("_context.side.chooser")

    # playback
    playback = _place("_playback.queue")
    live = _place("_playback.live")
    saving = _place("_playback.saving")
    play_commands = _place("_playback.commands")
    speech_settings = _place("_playback.speech_settings")

    # reading
    strip = _place("_reading.strip")
    strip_panel = _place("_reading.panel")
    phone_strip = _place("_reading.panel.strip")
    melody_lane = _place("_reading.panel.lane")
    melody = _place("_reading.melody")
    melody_fold = _place("_reading.melody_fold")
    strip_frame = _place("_reading.frame")
    fold = _place("_reading.fold")
    emoji = _place("_reading.emoji")
    dictionary = _place("_reading.dictionary")
    project_words = _place("_reading.project_words")
    kept_sounds = _place("_reading.kept_sounds")

    # voices
    catalog = _place("_context.catalog")
    voices_feature = _place("_voices")
    voices = _place("_voices.choice")
    blends = _place("_voices.blends")
    voice_banner = _place("_voices.banner")
    voice_tasks = _place("_voices.tasks")
    task_queue = _place("_voices.tasks.queue")
    jobs_panel = _place("_voices.tasks_panel")
    licences = _place("_voices.licences")
    library = _place("_voices.library")
    samples = _place("_voices.samples")
    disk_watch = _place("_voices.folders")
    natural = _place("_voices.natural")

    # projects, takes
    project = _place("_context.project")
    project_parts = _place("_context.project.parts")
    projects = _place("_projects.files")
    missing = _place("_projects.missing")
    takes = _place("_takes.lines")
    take_book = _place("_takes.shelf.book")
    takes_deletion = _place("_takes.deletion")
    takes_fold = _place("_takes.fold")

    # the cast
    filter_bar = _place("_script.filter_bar")
    filter = _place("_script.filter")
    cast_commands = _place("_cast.commands")
    cast_menu = _place("_cast.menu")
    cast = _place("_cast.cast")

    # what comes when it is asked for
    importing = _place("_files.importing")
    drags = _place("_files.drags")
    export = _place("_files.export")
    script_export = _place("_files.script_export")
    board = _place("_audition.board")
    blind_tests = _place("_audition.blind_tests")
    precision_tests = _place("_audition.precision_tests")
    candidate_tests = _place("_audition.candidate_tests")
    lab = _place("_lab.lab")
    service = _place("_service.service")
    chat = _place("_service.chat")
    read_aloud = _place("_read_aloud.controller")
    read_aloud_feature = _place("_read_aloud")

    def is_made(self, name: str) -> bool:
        """Return True if a part of `LAZY_PARTS` was created."""
        return name.replace("read_aloud", "controller") in getattr(self, LAZY_PARTS[name]).__dict__


def install_driver() -> type[WindowDriver]:
    """Make `app.ui.main` open a driver as its window, and return the class."""
    main_window.MainWindow = WindowDriver
    return WindowDriver


_WINDOW_PROGRAM = """
import sys
from PySide6.QtCore import QTimer
from PySide6.QtTest import QTest
from tests.ui.window_driver import install_driver
WindowDriver = install_driver()
start = WindowDriver.show_and_start
def begin(window):
    start(window)
{deeds}
WindowDriver.show_and_start = begin
from app.ui.main import main
sys.exit(main())
"""


def start_window_program(deeds: str, *files: Path, home: Path | None = None) -> subprocess.Popen[str]:
    """Starts a window in a process of its own, to be killed; `deeds` are the lines that its `window` begins with."""
    environment = os.environ | {"QT_QPA_PLATFORM": "offscreen"}
    if home is not None:
        environment |= {HOME_VARIABLE: str(home), "KOEBAKO_LANG": "en"}
    return subprocess.Popen(
        [sys.executable, "-c", _WINDOW_PROGRAM.format(deeds=textwrap.indent(deeds, "    ")), *files],
        cwd=REPOSITORY,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        encoding="utf-8",
    )
