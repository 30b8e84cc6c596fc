"""Takes pictures of what is hard to come by: long names, many voices, jobs of all kinds, several messages, a thousand lines, nothing at all.

`python -m tests.campaigns.screenshots.crowded FOLDER [WIDTHxHEIGHT] [SCALE]`; each language and look in a process of its own.
"""

import sys
from pathlib import Path

from app.ui.voices.catalog_voice import CatalogVoice
from tests.campaigns.screenshots.camera import Camera
from tests.campaigns.screenshots.looks import take_pictures
from tests.ui.crowd import JOBS, broken, crowd, script


def put(camera: Camera, voices: tuple[CatalogVoice, ...]) -> None:
    """Voices on the shelf."""
    catalog = camera.window.catalog
    catalog.voices = voices
    catalog.changed.emit()


def take_library(camera: Camera, voices: tuple[CatalogVoice, ...]) -> None:
    """Nothing in it; then each kind of voice; then a small one."""
    library = camera.window.library
    put(camera, ())
    library.open_library()
    assert library.dialog is not None
    camera.take("library-empty", library.dialog)
    put(camera, voices)
    for row in (*range(4), len(voices) - 1):
        library.dialog.list.setCurrentRow(row)
        camera.take(f"library-{row}", library.dialog)
    library.dialog.resize(640, 420)
    library.dialog.list.setCurrentRow(1)
    camera.take("library-small", library.dialog)
    library.dialog.close()


def take_questions(camera: Camera, voices: tuple[CatalogVoice, ...]) -> None:
    """Licences, the missing BERT, an address; with short and with long words."""
    from app.ui.voices.voice_dialogs import MissingBertDialog, VoiceAddressDialog
    from app.ui.widgets.text_dialog import ask_for_licence, show_text
    from app.voices.required_bert import SBV2_BERT_ID

    window, short, long = camera.window, voices[0].name, voices[1].name
    address = VoiceAddressDialog(window, "https://hub.aivis-project.com/aivm-models/e756b8e4-b606-4e15-99b1-3f9c6a1b2317")
    dialogs = {
        "licence": ask_for_licence(window, short, "この声は、自由に使えます。" * 60 + "\n" * 20),
        "licence-long-name": ask_for_licence(window, long, "CC0"),
        "text": show_text(window, short, "CC0"),
        "address": address,
        "bert": MissingBertDialog(window, short, SBV2_BERT_ID),
        "bert-other": MissingBertDialog(window, long, "other", may_force=False),
    }
    for what, dialog in dialogs.items():
        dialog.show()
        camera.take(f"ask-{what}", dialog)
        dialog.close()


def take_jobs(camera: Camera) -> None:
    """One of each kind at once."""
    from app.ui.tasks.process_task import ProcessTask, TaskSpec

    camera.window.document.reset_script(script("こんにちは、声箱です。", "今日はいい天気です。"))
    queue = camera.window.task_queue
    for title, stage, values in JOBS:
        job = ProcessTask(TaskSpec(title, ("none",)), queue)
        job.stage = stage
        for name, value in values.items():
            setattr(job, name, value)
        queue.jobs.append(job)
        queue.added.emit(job)
    camera.take("jobs")
    for job in tuple(queue.jobs):
        queue.jobs.remove(job)
        queue.removed.emit(job)


def take_lines(camera: Camera) -> None:
    """A long line of a voice with a long name and many styles, its lists, a thousand lines, and none."""
    window, side = camera.window, camera.window.side
    window.document.reset_script(script("こんにちは。" * 400, "二行目です。", voice="long", style="とても嬉しい気持ち 39"))
    for line in ("0", "1"):
        window.script.select_lines([line])
        camera.take(f"long-{line}")
    for what, box in (("styles", side.styles), ("voices", side.chooser.box)):
        box.showPopup()
        camera.take(f"list-{what}", box.view().window())
        box.hidePopup()
    camera.hide_banners()
    window.document.reset_script(script(*(f"{number} 行目の文章です。" for number in range(1000))))
    window.script.select_lines([str(number) for number in range(980, 999)])
    camera.take("thousand-lines")
    window.document.reset_script(script())
    camera.take("no-lines")


def take_messages(camera: Camera) -> None:
    """Two and three messages with details above an open strip; then all of the latency."""
    window = camera.window
    window.document.reset_script(script("こんにちは、声箱です。", "今日はいい天気です。", "あしたも晴れるといいですね。"))
    window.script.select_lines(["1"])
    window.window_actions["show_strip"].setChecked(True)
    camera.until(lambda: window.phone_strip.shape is not None)
    for count, banner in enumerate(reversed(camera.banners), 1):
        banner.show_error(broken())
        banner.more.click()
        camera.take(f"messages-{count}")
    camera.hide_banners()
    window.playback.play_lines(["0", "1", "2"])
    camera.until(lambda: not window.playback.is_on)
    camera.take("latency")


def take(theme: str, size: str, folder: Path, name: str) -> None:
    """Everything, with one window."""
    camera = Camera(theme, size, folder, name)
    camera.hide_banners()
    voices = crowd(camera.window.catalog.voices)
    take_library(camera, voices)
    take_questions(camera, voices)
    take_jobs(camera)
    take_lines(camera)
    take_messages(camera)
    camera.window.close()


if __name__ == "__main__":
    if len(sys.argv) > 1 and sys.argv[1] == "--one":
        take(sys.argv[2], sys.argv[3], Path(sys.argv[4]), sys.argv[5])
    else:
        sys.exit(take_pictures("tests.campaigns.screenshots.crowded", "1366x768"))
