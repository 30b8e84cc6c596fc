"""Takes pictures of the program's own dialogs, in both looks and both languages: `python -m tests.campaigns.screenshots.dialog FOLDER [SCALE]`.

Each language needs a process of its own, because it is chosen once at start.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from tests.campaigns.screenshots.looks import in_each_look

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from app.adapters.http.hub_files import OfferedVoice
    from tests.ui.window_driver import WindowDriver


def main() -> int:
    """One process per language and look."""
    folder = Path(sys.argv[1])
    scale = sys.argv[2] if len(sys.argv) > 2 else "1"
    folder.mkdir(parents=True, exist_ok=True)
    in_each_look("tests.campaigns.screenshots.dialog", lambda language, look: [str(folder), f"{language}-{look}"], scale=scale)
    return 0


def take(theme: str, folder: Path, name: str) -> None:
    """Opens each dialog from the window, as a user would, and each page of it; then every menu and list."""
    from PySide6.QtCore import QDeadlineTimer
    from PySide6.QtWidgets import QTabWidget

    from app.settings.user_settings import Settings
    from app.ui.actions.command_search import CommandSearchDialog
    from app.ui.help.diagnostics_dialog import DiagnosticsDialog
    from app.ui.main import make_application
    from app.ui.synthesis.speech_controller import SpeechController
    from tests.recording_player import RecordingPlayer
    from tests.ui.window_driver import WindowDriver

    app = make_application()
    window = WindowDriver(Settings(theme=theme), SpeechController(lambda _device, _rate: RecordingPlayer()))  # type: ignore[arg-type]

    def wait(done: object, at_most_ms: int = 30_000) -> None:
        deadline = QDeadlineTimer(at_most_ms)
        while not done() and not deadline.hasExpired():  # type: ignore[operator]
            app.processEvents()

    window.theme_switcher.show_theme()
    window.show_and_start()
    wait(lambda: window.speech_state.is_ready and not window.speech_state.is_loading)
    take_messages(window, lambda what: (wait(lambda: False, 400), window.grab().save(str(folder / f"{what}-{name}.png"))))
    for action in ("settings", "find_command", "diagnose", "show_log", "whats_new", "about"):
        window.window_actions[action].trigger()
        dialog = window.dialogs.shown
        assert dialog is not None
        if isinstance(dialog, CommandSearchDialog):
            dialog.typed.setText("a")
        if isinstance(dialog, DiagnosticsDialog):
            wait(lambda checks=dialog: checks.report)
        tabs = dialog.findChild(QTabWidget)
        for page in range(tabs.count() if tabs is not None else 1):
            if tabs is not None:
                tabs.setCurrentIndex(page)
            wait(lambda: False, 50)
            dialog.grab().save(str(folder / f"{action}-{page}-{name}.png"))
    window.dialogs.close()
    take_guide(window, wait, lambda what, dialog: dialog.grab().save(str(folder / f"guide-{what}-{name}.png")))

    def picture(what: str, widget: QWidget) -> None:
        wait(lambda: False, 50)
        widget.grab().save(str(folder / f"{what}-{name}.png"))

    take_tour(window, picture)
    take_blind_test(window, wait, picture)
    take_blend(window, picture)
    take_others(window, picture)
    take_board(window, wait, picture)
    take_cast_board(window, wait, picture)
    take_lab(window, wait, picture)
    window.close()


def take_guide(window: WindowDriver, wait: Callable[..., None], picture: Callable[[str, QWidget], object]) -> None:
    """Every page of the user guide, a search, and one that finds nothing."""
    from app.ui.help.guide_page_view import GUIDE_PAGES

    window.window_actions["user_guide"].trigger()
    guide = window.dialogs.guide
    assert guide is not None
    for page in GUIDE_PAGES:
        guide.index.select_page(page)
        wait(lambda: False, 50)
        picture(page, guide)
    for what, query in (("found", "int8"), ("nothing", "zzz")):
        guide.index.query.setText(query)
        wait(lambda: False, 50)
        picture(what, guide)
    guide.reject()


def take_messages(window: WindowDriver, picture: Callable[[str], object]) -> None:
    """The greeting of the first start; an error, folded and with its details."""
    from app.common.errors import VoiceError

    picture("message-greeting")
    window.notice.hide()
    error = VoiceError("「花子」を開けません。", "ファイルが壊れています。もう一度追加してください。")
    error.__cause__ = ValueError("protobuf parsing failed")
    window.banner.show_error(error)
    picture("message-error")
    window.banner.more.click()
    picture("message-details")
    window.banner.hide()


def take_tour(window: WindowDriver, picture: Callable[[str, QWidget], None]) -> None:
    """Each step of the tour."""
    from app.ui.help.tour import Tour

    window.window_actions["tour"].trigger()
    tour = window.findChildren(Tour)[-1]
    while tour.isVisible():
        picture(f"tour-{tour.number}", window)
        tour.timer.timeout.emit()


def take_blend(window: WindowDriver, picture: Callable[[str, QWidget], None]) -> None:
    """The blend of two speakers, of a voice with a long name."""
    from app.ui.voices.voice_dialogs import SpeakerBlendDialog
    from tests.ui.crowd import crowd

    dialog = SpeakerBlendDialog(window, crowd(())[1], is_for_use=True)
    dialog.show()
    picture("blend", dialog)
    dialog.close()


def take_blind_test(window: WindowDriver, wait: Callable[..., None], picture: Callable[[str, QWidget], None]) -> None:
    """A blind test: its sounds being made, its plan, a trial of each kind, an answer that can be confirmed, and a result."""
    import numpy as np

    from app.audition.blind_test import BlindTestPlan, add_answer, begin_blind_test, compute_seal, find_blind_trial
    from app.ui.audition.blind_test_dialog import BlindTestDialog

    names = ("float32", "int8", "声のとても長い名前のテイク 12（ささやき・強さ 2.5）")
    sounds = [[f"{number:064x}" for number in range(3)]]
    noise = np.random.default_rng(1).normal(0, 0.1, 44_100).astype(np.float32)
    dialog = BlindTestDialog(window, window.controller, lambda _name: (noise, 44_100))
    dialog.show_preparation(4)
    dialog.show_prepared(1)
    dialog.show()
    picture("blind_test_preparing", dialog)
    dialog.reject()
    for count in (2, 3):
        dialog = BlindTestDialog(window, window.controller, lambda _name: (noise, 44_100))
        dialog.show_setup(names[:count], [sounds[0][:count]])
        dialog.show()
        picture(f"blind_test_plan-{count}", dialog)
        methods = dialog.pages.currentWidget().methods  # type: ignore[attr-defined]
        methods.more.set_open(True)
        picture(f"blind_test_plan-{count}-more", dialog)
        for kind in ("abx", "pairs") if count == 2 else ("ranking",):
            plan = BlindTestPlan(kind, (tuple(sounds[0][:count]),), names[:count], 12, kind == "pairs")
            test = begin_blind_test(plan, compute_seal("a"))
            dialog.resume_test(test)
            wait(dialog.trial.letters.play_button.isEnabled)
            picture(f"blind_test_{kind}", dialog)
            for place in range(3 if kind == "abx" else 2):
                dialog.trial.show_letter(place)
            dialog.trial.answers.buttons["a"].click()
            picture(f"blind_test_{kind}-chosen", dialog)
            while find_blind_trial(test) is not None:
                test = add_answer(test, "a" if len(test.answers) % 3 else "b", 1_000)
            dialog.resume_test(test)
            picture(f"blind_test_{kind}-result", dialog)
            dialog.outcome.details.set_open(True)
            picture(f"blind_test_{kind}-details", dialog)
        dialog.reject()


def take_others(window: WindowDriver, picture: Callable[[str, QWidget], None]) -> None:
    """Questions, menus and lists."""
    import os

    from PySide6.QtWidgets import QMenu

    from app.adapters.http.hub_files import AIVISHUB_VARIABLE
    from app.common.errors import DownloadError
    from app.core.script.project import LinePreset
    from app.ui.dictionary.dictionary_dialog import DictionaryDialog
    from app.ui.parameters.preset_bar import PresetCollection, PresetNameDialog
    from app.ui.projects.missing_voices_dialog import MissingVoicesDialog
    from app.ui.projects.project_controller import ask_before_leaving, ask_before_replacing
    from app.ui.projects.project_document import MissingVoice
    from app.ui.voices.voice_dialogs import VoiceAddressDialog
    from app.ui.widgets.text_dialog import ask_for_licence

    presets = PresetCollection()
    presets.set_presets(project={"速い": LinePreset(character=True)})
    name = PresetNameDialog(window, presets, presets.entries[0])
    name.show()
    picture("preset_name", name)
    name.close()
    missing = [MissingVoice("a", "花子", 1_204, "https://hub.aivis-project.com/"), MissingVoice("b", "とても長い名前の声です。" * 3, 2)]
    dialogs = {
        "missing_voices": MissingVoicesDialog(window, missing, window.catalog.voices),
        "dictionary": DictionaryDialog(window),
        "before_leaving": ask_before_leaving(window, "朗読", str, str),
        "before_replacing": ask_before_replacing(window, "朗読.koebako", str, str, is_own_file=True),
    }
    for what, dialog in dialogs.items():
        dialog.show()
        picture(what, dialog)
        dialog.close()
    address, licence = VoiceAddressDialog(window), ask_for_licence(window, "声", "利用条件の例です。\n" * 30)
    address.show()
    picture("add_voice_address", address)
    picture("licence", licence)
    for dialog in (address, licence):
        dialog.close()
    take_mapping(window, picture)
    take_export(window, picture)
    take_service(window, picture)
    os.environ[AIVISHUB_VARIABLE] = "http://127.0.0.1:9"  # pictures ask nobody
    window.window_actions["natural_voice"].trigger()
    page, shelf = window.natural.page, window.natural.shelf
    assert page is not None
    assert shelf is not None
    shelf.stop_loading()
    shelf.loading_failed.emit(DownloadError("api.aivis-project.com に接続できません。", "接続を確認して、もう一度お試しください。"))
    picture("natural-offline", page)
    page.show_failure(None)
    shelf.voices = offered_voices()
    page.show_voices()
    picture("natural", page)
    page.close()
    take_takes(window, picture)
    for place, item in enumerate(window.menus.actions()):
        menu = item.menu()
        assert isinstance(menu, QMenu)
        menu.popup(window.pos())
        picture(f"menu-{place}", menu)
        menu.hide()
    for what, box in (("voices", window.voice_chooser.box), ("styles", window.styles), ("backends", window.status.backends)):
        box.showPopup()
        picture(f"list-{what}", box.view().window())
        box.hidePopup()


def take_board(window: WindowDriver, wait: Callable[..., None], picture: Callable[[str, QWidget], None]) -> None:
    """The board while it fills, filled and judged, small, and with nothing to compare; the library beside several voices."""
    window.window_actions["audition"].trigger()
    board = window.board
    assert board is not None
    shown = board.window
    assert shown is not None
    for strength in (0.5, 1.0, 2.0):
        shown.chooser.strengths[strength].setChecked(True)
    wait(lambda: len(board.cells.board.lines) == 3 and len(board.cells.finished_cells) > 3)
    picture("board-filling", shown)
    wait(lambda: len(board.cells.finished_cells) == len(board.cells.board.cells))
    for wish in ("down", "star", "rate 4", "right", "rate 2", "down"):
        shown.command_requested.emit(wish)
    shown.bar.note_changed.emit("語尾がよい")
    picture("board", shown)
    shown.resize(shown.minimumSizeHint().width(), 480)
    picture("board-small", shown)
    shown.chooser.choose_ways(())
    shown.chooser.changed.emit()
    picture("board-nothing", shown)
    board.close()


def take_cast_board(window: WindowDriver, wait: Callable[..., None], picture: Callable[[str, QWidget], None]) -> None:
    """The board of a scene with two candidate casts, small, and for lines without characters; then of one character's lines."""
    from app.core.script.script import Character, Line, LineSettings, Script

    cast = tuple(
        Character(name, LineSettings(speaker="Mei", style=style))
        for name, style in (("勇者アレクサンドラ", "Happy"), ("王", "Neutral"), ("村人A", "Sad"))
    )
    words = ((0, "さあ、みんなで旅に出よう。"), (1, "待ちなさい、外はもう夜だ。"), (0, "月が出ているから平気です。"), (2, "お気を付けて。"))
    lines = tuple(Line(text, cast[place].settings, character=cast[place].id) for place, text in words)
    before = window.document.script
    window.document.apply_edit("", Script(lines, cast=cast))
    window.board.open_cast_board([line.id for line in lines])
    shown = window.board.window
    assert shown is not None
    casts = shown.chooser.casts
    picture("cast-board-new", shown)
    casts.add_cast()
    for section in casts.sections:
        section.suggest_button.click()
    wait(lambda: len(window.board.cells.finished_cells) == 3 * len(lines))
    for wish in ("down", "star", "rate 4"):
        shown.command_requested.emit(wish)
    picture("cast-board", shown)
    shown.resize(shown.minimumSizeHint().width(), 480)
    picture("cast-board-small", shown)
    shown.close()
    window.board.open_board((), [line.id for line in lines if line.character == cast[0].id])
    shown = window.board.window
    assert shown is not None
    wait(lambda: len(window.board.cells.finished_cells) == len(window.board.cells.board.cells))
    picture("character-board", shown)
    shown.close()
    window.document.apply_edit("", before)
    window.board.open_cast_board()
    shown = window.board.window
    assert shown is not None
    picture("cast-board-nothing", shown)
    shown.close()


def take_lab(window: WindowDriver, wait: Callable[..., None], picture: Callable[[str, QWidget], None]) -> None:
    """The first part of the lab, before and after it has looked into our voice; `tests.campaigns.screenshots.lab` has every part."""
    window.window_actions["lab"].trigger()
    lab = window.lab.window
    assert lab is not None
    wait(lambda: bool(lab.pages))
    page = lab.pages["inspect"]
    picture("lab-empty", lab)
    page.start_button.click()
    wait(lambda: not page.start_button.isHidden())
    picture("lab", lab)
    lab.close()


def take_takes(window: WindowDriver, picture: Callable[[str, QWidget], None]) -> None:
    """The list of takes, of a line without any and of one with some."""
    from app.core.script.project import create_take

    window.window_actions["show_takes"].setChecked(True)
    panel, line = window.takes.panel, window.selection.line
    if panel is None or line is None:
        return
    picture("takes-empty", panel)
    slower = replace(line, settings=replace(line.settings, speed=0.9, seed=123_456_789))
    made = (replace(create_take(line, length_s=2.31), starred=True, note="明るい"), create_take(slower, length_s=2.57))
    window.project.change_parts(takes=made)
    picture("takes", panel)
    window.project.change_parts(takes=())
    window.window_actions["show_takes"].setChecked(False)


def take_mapping(window: WindowDriver, picture: Callable[[str, QWidget], None]) -> None:
    """What is asked about a table, and about names alone."""
    from app.interchange.script_tables import parse_table
    from app.ui.interchange.mapping_dialog import MappingDialog
    from app.ui.interchange.opened_import import OpenedImport, find_voices, map_table

    voices, _ = find_voices(window.catalog.voices, window.catalog.default_id, ())
    table = parse_table("台本.csv", ".csv", "番号,役,memo,言葉\n1,花子,笑って,こんにちは。\n2,太郎（喜び）,,やあ！\n".encode(), {})
    named = map_table(OpenedImport(Path("台本.csv"), voices, table=table), table, {"id": 0, "speaker": 1, "text": 3})
    for what, opened in (("table", named), ("names", replace(named, table=None))):
        dialog = MappingDialog(window, opened)
        dialog.show()
        picture(f"import-{what}", dialog)
        dialog.close()


def take_export(window: WindowDriver, picture: Callable[[str, QWidget], None]) -> None:
    """The export page as it opens, with everything chosen, and with a name that cannot be."""
    from PySide6.QtTest import QTest

    from app.export.export_settings import SIDECAR_KINDS

    window.settings.change_settings(save_folder=str(Path.home()))
    window.window_actions["export"].trigger()
    page = window.export.dialog
    assert page is not None
    QTest.qWait(500)
    picture("export", page)
    page.form.sidecars.choose_kinds(SIDECAR_KINDS)
    page.form.loudness.target.choose_value("own")
    page.form.files.choose_value("speaker_folders")
    page.resize(page.minimumSize())
    QTest.qWait(500)
    picture("export-small", page)
    page.form.pattern.edit.setText("a/b")
    QTest.qWait(500)
    picture("export-wrong", page)
    page.reject()


def take_service(window: WindowDriver, picture: Callable[[str, QWidget], None]) -> None:
    """What was asked of the service, before the first request and after some."""
    from app.service.request_log import RequestRecord
    from app.ui.service.service_controller import ServiceDialog

    dialog = ServiceDialog(window)
    dialog.show_state("", ())
    dialog.show()
    picture("service-empty", dialog)
    paths = (
        ("GET", "/speakers", 200, ""),
        ("POST", "/audio_query", 200, "こんにちは、世界。"),
        ("POST", "/synthesis", 0, "とても長い文です。" * 9),
        ("POST", "/v1/audio/speech", 422, "a voice of another program"),
        ("GET", "/speakers", 403, ""),
        ("POST", "/import_kaboom_dictionary_of_another_program_with_a_long_name", 404, ""),
    )
    dialog.show_state(
        "http://127.0.0.1:25850", [RequestRecord(1e9, method, path, status, 41.0, text, "curl") for method, path, status, text in paths]
    )
    picture("service", dialog)
    dialog.close()
    take_chat(window, picture)


def take_chat(window: WindowDriver, picture: Callable[[str, QWidget], None]) -> None:
    """The comments: none yet, and some that are read, wait or are over."""
    from app.service.chat.chat_protocol import ChatTalk
    from app.service.chat.chat_queue import ChatOutcome, ChatRecord, ChatSnapshot
    from app.ui.service.chat_window import ChatWindow, ChatWindowState, ViewerChoices

    viewers = ViewerChoices(
        describe_reader=lambda talk: "Mei" * (talk.voice > 0),
        list_voices=lambda: (),
        find_voice=lambda _who: "",
        is_muted=lambda _writer: False,
    )
    chat = ChatWindow(window, viewers)
    place = ("127.0.0.1:50001", "127.0.0.1:50080 (HTTP)")
    chat.show_state(ChatWindowState(ChatSnapshot(), place[0], place, "http://127.0.0.1:50080/captions"))
    chat.show()
    picture("chat-empty", chat)
    current, *waiting = (
        ChatTalk(f"視聴者{number}：{'初見です。' * (number + 1)}", voice=number % 2, writer=f"視聴者{number}", name_length=5, number=number)
        for number in range(8)
    )
    finished = tuple(ChatRecord(ChatTalk("こんにちは。", number=100 + number), outcome) for number, outcome in enumerate(ChatOutcome))
    chat.show_state(
        ChatWindowState(ChatSnapshot(current, tuple(waiting), finished), place[0], place, "http://127.0.0.1:50080/captions", True)
    )
    chat.table.selectRow(1)
    picture("chat", chat)
    many = tuple(
        ChatTalk(f"{name}：{'初見です。' * (number % 9)}", writer=name, name_length=len(name) + 1, number=number)
        for number in range(100)
        for name in (f"視聴者{number}" + "・とても長い名前" * (number % 4),)
    )
    chat.show_state(ChatWindowState(ChatSnapshot(many[0], many[1:]), place[0], place, "http://127.0.0.1:50080/captions", True))
    picture("chat-many", chat)
    chat.close()


def offered_voices() -> list[OfferedVoice]:
    """Voices as a hub might offer them: usual ones, one with a long description, and one of which little is known."""
    from app.adapters.http.hub_files import OfferedSample, OfferedVoice

    sample = OfferedSample("ノーマル", "https://assets.aivis-project.com/a.wav", "おはようございます。")
    styles = ("ノーマル", "喜び", "悲しみ")
    long = "明るい声です。" * 40
    return [
        OfferedVoice("1", "花子", "作者", "明るい声です。", "1.0.0", "ACML 1.0", "", 255_887_473, None, "", styles, (sample,)),
        OfferedVoice("2", "太郎", "作者", long, "1.0.0", "Custom", "利用条件", 255_887_473, None, "", styles * 5, (sample,)),
        OfferedVoice("3", "無名"),
    ]


if __name__ == "__main__":
    if sys.argv[1] == "--one":
        take(sys.argv[2], Path(sys.argv[3]), sys.argv[4])
    else:
        sys.exit(main())
