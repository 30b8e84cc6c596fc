"""Takes pictures of everything about voices: `python -m tests.campaigns.screenshots.voice FOLDER VOICE_FILE [WIDTHxHEIGHT]`.

A voice is dropped on the window and speaks; each language and look in a process of its own.
"""

import sys
from pathlib import Path

from app.ui.tasks.process_task import TaskState
from tests.campaigns.screenshots.camera import Camera
from tests.campaigns.screenshots.looks import take_pictures


def take(theme: str, size: str, voice: Path, folder: Path, name: str) -> None:
    """The import, its licence, the missing BERT, the rest being prepared, the voice that speaks all the same, the library, and a voice that is not here."""
    camera = Camera(theme, size, folder, name, text="こんにちは。今日はいい天気です。")
    window = camera.window
    window.library.add_files([voice])
    job = window.task_queue.jobs[-1]
    camera.until(lambda: job.advance.percent > 20 or job.stage is not TaskState.RUNNING)
    camera.take("import")
    camera.until(lambda: job.stage not in (TaskState.RUNNING, TaskState.WAITING))
    if job.stage is TaskState.ASKING and camera.dialog is not None:
        camera.take("licence", camera.dialog)
        camera.dialog.accept()
    camera.until(lambda: job.stage is TaskState.DONE and camera.dialog is not None)
    camera.take("added")
    if (offer := camera.dialog) is not None:
        camera.take("bert", offer)
        offer.force.click()  # type: ignore[attr-defined]
    camera.until(lambda: len(window.controller.voices) > 1)
    camera.until(lambda: any(item.work.is_background and item.advance.percent > 20 for item in window.task_queue.jobs))
    camera.take("refining")
    camera.take("refining-card", window.voice_card)
    window.play_commands.play_or_stop()
    camera.until(lambda: not window.playback.is_on)
    camera.take("spoken")
    window.library.open_library()
    if window.library.dialog is not None:
        camera.take("library", window.library.dialog)
        window.library.dialog.close()
    window.voices.use_voice("0123456789abcdef")
    camera.take("missing")
    window.close()


if __name__ == "__main__":
    if len(sys.argv) > 1 and sys.argv[1] == "--one":
        take(sys.argv[2], sys.argv[3], Path(sys.argv[4]), Path(sys.argv[5]), sys.argv[6])
    else:
        sys.exit(take_pictures("tests.campaigns.screenshots.voice", "1366x768", has_voice=True))
