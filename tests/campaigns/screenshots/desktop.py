"""Takes pictures of what lies outside the window, and of what leads there, in both looks and both languages.

`python -m tests.campaigns.screenshots.desktop FOLDER [WIDTHxHEIGHT] [SCALE]`; each language and look in a process of its own.
"""

import os
import sys
from pathlib import Path

from tests.campaigns.screenshots.camera import Camera
from tests.campaigns.screenshots.looks import take_pictures

TEXTS = (
    "本日の天気は晴れのち曇り、最高気温は 23 度です。",
    "とても長いテキストです。メニューに収まらない分は省略されます。" * 3,
    "Hello & goodbye",
)
WORDS = "ひびき\t響\t名詞\nこえばこ\t声箱\t固有名詞\nあめ\t雨\t名詞\nあめ\t雨\t人名\n!comment\nこわれた\n"


def take_reading(camera: Camera) -> None:
    """The mini player and the menu of the tray: with nothing to read, reading, and paused; then the list of the last texts."""
    player = camera.window.read_aloud
    player.tray = player._create_tray()
    menu, mini = player.tray.menu, player.mini_player
    mini.show()
    camera.take("mini-empty", mini)
    menu.popup(mini.pos())
    camera.take("tray-empty", menu)
    menu.hide()
    player.player.queue_text(TEXTS[1])
    camera.until(lambda: mini.text.extraSelections())
    camera.take("mini-reading", mini)
    player.player.pause_or_resume()
    camera.take("mini-paused", mini)
    for text in TEXTS:
        player.player._remember_text(text)
    menu.popup(mini.pos())
    camera.take("tray-paused", menu)
    player.tray.last.aboutToShow.emit()
    player.tray.last.popup(mini.pos())
    camera.take("tray-last", player.tray.last)
    player.tray.last.hide()
    menu.hide()
    player.player.stop_reading()
    mini.hide()


def take_settings(camera: Camera) -> None:
    """The pages of what listens and of reading aloud, from top to bottom."""
    from PySide6.QtWidgets import QScrollArea, QTabWidget

    camera.window.window_actions["settings"].trigger()
    dialog = camera.window.dialogs.shown
    assert dialog is not None
    dialog.resize(dialog.width(), 620)
    tabs = dialog.findChild(QTabWidget)
    assert tabs is not None
    for page, what in ((2, "service"), (3, "reading")):
        tabs.setCurrentIndex(page)
        area = tabs.widget(page).findChild(QScrollArea)
        assert area is not None
        bar = area.verticalScrollBar()
        for place in range(3):
            camera.until(lambda: False, 0.05)
            bar.setValue(bar.maximum() * place // 2)
            camera.take(f"settings-{what}-{place}", dialog)
    dialog.reject()


def take_messages(camera: Camera) -> None:
    """Service and chat reader in the status bar; a port that is taken; the questions about newer versions."""
    window = camera.window
    window.settings.change_settings(service=True, service_port=25_850, chat_reader=True)
    camera.until(lambda: window.chat.reader is not None and window.service.url)
    camera.take("status")
    window.settings.change_settings(chat_port=25_850, service_changes=True)
    camera.until(lambda: window.banner.isVisible())
    camera.take("port-taken")
    window.settings.change_settings(service=False, chat_reader=False)
    camera.until(lambda: not window.chat.button.isVisible() and not window.service.url)
    camera.hide_banners()
    updates = window.updates
    updates._ask_user()
    camera.take("update-question")
    from app.adapters.http.release_feed import Release

    notes = {"ja": "追加\n\n- 声が増えました。\n", "en": "Added\n\n- More voices.\n"}
    updates._show_release(Release("1.2.0", "https://example.com/", notes))
    camera.take("update-found")
    updates.banner.action.click()
    assert camera.dialog is not None
    camera.take("update-notes", camera.dialog)
    camera.dialog.close()
    updates.banner.hide()
    window.window_actions["whats_new"].trigger()
    assert window.dialogs.shown is not None
    camera.take("whats-new", window.dialogs.shown)
    window.dialogs.shown.reject()


def take_import(camera: Camera) -> None:
    """A dictionary whose words are new, differ or are there; then one without a word."""
    from app.core.text.dictionary_entries import compare_import, make_entry
    from app.core.text.dictionary_formats import parse_dictionary_text
    from app.ui.dictionary.entry_tables import ImportPreviewDialog

    mine = [make_entry("雨", "アメ", 1), make_entry("声箱", "コエバコ", 0)]
    for what, words in (("conflicts", WORDS), ("empty", "!\n")):
        dialog = ImportPreviewDialog(camera.window, "辞書.txt", compare_import(mine, *parse_dictionary_text(words)))
        dialog.show()
        camera.take(f"import-{what}", dialog)
        dialog.close()


def take_tasks(camera: Camera) -> None:
    """A voice that is finished in the background, alone and beside another job; and what the pointer carries."""
    from PySide6.QtWidgets import QLabel

    from app.ui.export.drag_controller import draw_drag_picture
    from app.ui.tasks.process_task import ProcessTask, TaskProgress, TaskSpec, TaskState

    queue = camera.window.task_queue
    job = ProcessTask(TaskSpec("つくよみちゃん", ("none",), is_background=True), queue)
    job.stage, job.advance = TaskState.RUNNING, TaskProgress("cutting", 42)
    queue.jobs.append(job)
    queue.added.emit(job)
    camera.take("background-row")
    queue.jobs.remove(job)
    queue.removed.emit(job)
    label = QLabel(camera.window)
    for what, names in (("one", ["001_こんにちは.wav"]), ("several", ["002_" + "とても長い名前の行です" * 4 + ".wav", "b.wav", "c.txt"])):
        label.setPixmap(draw_drag_picture(camera.window.script, [Path(name) for name in names]))
        label.adjustSize()
        camera.take(f"drag-{what}", label)
    label.deleteLater()


def take(look: str, size: str, folder: Path, name: str) -> None:
    """Everything of one look."""
    os.environ["KOEBAKO_NATURAL_VOICE"] = "off"  # its messages are in other pictures
    camera = Camera(look, size, folder, name, text="こんにちは、声箱です。\n今日はとてもいい天気ですね。")
    camera.hide_banners()
    camera.take("window")
    take_reading(camera)
    take_settings(camera)
    take_messages(camera)
    take_import(camera)
    take_tasks(camera)
    camera.window.close()


if __name__ == "__main__":
    if sys.argv[1] == "--one":
        take(sys.argv[2], sys.argv[3], Path(sys.argv[4]), sys.argv[5])
    else:
        sys.exit(take_pictures("tests.campaigns.screenshots.desktop", "1280x720"))
