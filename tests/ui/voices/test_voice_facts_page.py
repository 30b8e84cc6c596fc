"""The page about a voice in the library: whatever its names, nothing is cut off."""

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QLabel, QWidget
from pytestqt.qtbot import QtBot

from app.ui.tasks.process_task import ProcessTask
from app.ui.voices.catalog_voice import CatalogScan, CatalogVoice, VoiceOrigin
from app.ui.voices.voice_card import VoiceCard
from app.ui.voices.voice_catalog import VoiceCatalog
from app.ui.voices.voice_dialogs import MissingBertDialog
from app.ui.voices.voice_facts_page import VoiceFactsPage, describe_processing, list_voice_details, list_voice_facts
from app.ui.voices.voice_library_dialog import VoiceLibraryDialog, describe_source
from app.ui.voices.voice_task_results import VoiceTaskResultHandler
from app.voices.int8_result import Int8Graph, Int8Rejection, Int8Result
from app.voices.prepared_voice import NamedId, VoiceManifest
from app.voices.required_bert import SBV2_BERT_ID
from app.voices.voice_card_data import VoiceCardData
from app.voices.voice_labels import NATURAL_VOICE_ID
from tests.ui.conftest import WAIT_MS, OpenWindow

pytestmark = pytest.mark.usefixtures("styled")

LONG = "G_" + "very_long_file_name_" * 5 + ".safetensors"
BERT = "ku-nlp/deberta-v2-large-japanese-char-wwm"


def voice(
    name: str = "Mei", place: VoiceOrigin = "own", card: VoiceCardData | None = None, styles: int = 1, about: str = ""
) -> CatalogVoice:
    named = tuple(NamedId(number, f"とても嬉しい気持ち {number}") for number in range(styles))
    graphs = {"prosody": "p.onnx", "decoder": "d.onnx"}
    manifest = VoiceManifest(name, name, "aivmx", BERT, 44_100, 512, (NamedId(0, "A"),), named, graphs, description=about)
    return CatalogVoice(name, manifest, Path("/nowhere"), place, card or VoiceCardData(), 1_000_000)


def words(facts: VoiceFactsPage) -> dict[str, QLabel]:
    body = facts.page.widget()
    assert body is not None
    return {label.text(): label for label in body.findChildren(QLabel) if label.text()}


def test_long_words_do_not_widen_the_page_and_many_need_a_longer_one(qtbot: QtBot) -> None:
    facts = VoiceFactsPage()
    qtbot.addWidget(facts)
    facts.resize(420, 300)
    facts.show_voice(voice())
    facts.show()
    QApplication.processEvents()
    facts.show_voice(voice(card=VoiceCardData(source_name=LONG, notes=("One.", "Two.")), styles=40, about="A long description. " * 30))
    body = facts.page.widget()
    assert body is not None
    qtbot.waitUntil(lambda: body.height() >= body.heightForWidth(body.width()) > 300, timeout=WAIT_MS)
    assert body.width() <= facts.page.viewport().width()
    shown = words(facts)
    (short,) = [text for text in shown if text.startswith("G_very")]
    assert "…" in short
    assert short.endswith(".safetensors")
    assert shown[short].toolTip() == LONG
    assert BERT in shown, "a word that can be broken stays whole"


@pytest.mark.parametrize("width", [280, 400, 640])
def test_nothing_is_cut_off_and_the_buttons_stay_in_sight_at_any_width(qtbot: QtBot, width: int) -> None:
    facts = VoiceFactsPage()
    qtbot.addWidget(facts)
    facts.resize(width, 300)
    facts.show()
    facts.show_voice(voice("とても長い名前の声 " * 8, card=VoiceCardData("e756b8e4"), styles=40, about="説明がとても長い声です。" * 20))
    body = facts.page.widget()
    qtbot.waitUntil(lambda: facts.page.verticalScrollBar().maximum() > 0, timeout=WAIT_MS)
    assert body.width() <= facts.page.viewport().width()
    offered = [button for button in facts.buttons.values() if button.isVisible()]
    assert len(offered) >= 6
    assert not any(body.isAncestorOf(button) for button in offered)
    places = [button.geometry().translated(button.parentWidget().pos()) for button in offered]
    assert all(facts.rect().contains(place) for place in places)
    assert all(button.width() >= button.sizeHint().width() for button in offered)
    assert len({place.x() for place in places}) == {280: 1, 400: 2, 640: 3}[width]


def test_what_fast_costs_and_gains_is_shown() -> None:
    exact = voice()
    fast = Int8Result({"flow": Int8Graph("flow_int8.onnx", 45.0, 0.1)}, 41.4, 0.2, 0.987, 2.64)
    shown = dict(list_voice_details(replace(exact, manifest=replace(exact.manifest, fast=fast))))
    likeness = "signal-to-noise ratio 41 dB, spectral distance 0.20 dB, 98.7% of durations unchanged, about 2.6 times as fast"
    assert shown["Fast synthesis"] == likeness
    assert dict(list_voice_details(exact))["Fast synthesis"] == "not available for this voice"
    refused = {"decoder": Int8Rejection("noise", 31.2, 0.6, 1.0, 2.2), "prosody": Int8Rejection("lengths", 50.0, 0.1, 0.95, 1.3)}
    shown = dict(list_voice_details(replace(exact, manifest=replace(exact.manifest, refused=refused))))
    assert shown["Fast, by part"].splitlines()[0] == "Decoder: stays exact (signal-to-noise ratio 31.2 dB, 35 needed)"


def test_fast_is_offered_when_a_voice_that_has_it_is_fully_prepared(open_window: OpenWindow, monkeypatch: pytest.MonkeyPatch) -> None:
    window = open_window()
    results = window.voice_tasks.findChild(VoiceTaskResultHandler)
    assert isinstance(results, VoiceTaskResultHandler)
    exact, fast = voice(), Int8Result({"flow": Int8Graph("flow_int8.onnx", 45.0, 0.1)}, 41.4, 0.2, 0.987, 2.64)
    monkeypatch.setattr(window.catalog, "find_voice", lambda _name: replace(exact, manifest=replace(exact.manifest, fast=fast)))
    results._added_ids = ["a"]
    window.catalog.changed.emit()
    assert not window.voice_banner.isVisible()
    window.voice_tasks.voice_refined.emit("a")
    window.catalog.changed.emit()
    assert window.voice_banner.message.text() == f"“{exact.name}” is fully prepared."
    assert "about 2.6 times as fast" in window.voice_banner.hint.text()


def test_an_empty_library_says_so_once_it_was_read(qtbot: QtBot) -> None:
    parent = QWidget()
    qtbot.addWidget(parent)
    catalog = VoiceCatalog(parent)
    library = VoiceLibraryDialog(parent, catalog)
    library.show()
    assert library.facts.name.text() == "Loading…"
    catalog.is_read = True
    catalog.changed.emit()
    assert library.facts.name.text() == "No voices"
    assert not library.facts.picture.isVisible(), "the words begin where the words of voices do"
    library.close()
    catalog.close()


def test_what_a_voice_lacks_comes_first_in_the_list() -> None:
    assert describe_source(replace(voice(), has_bert=False)).startswith("BERT missing")
    assert describe_source(voice(place="aivisspeech")).startswith("Not prepared")
    assert describe_source(voice()) == "Added by you"


def test_a_voice_is_made_the_default_in_the_library_and_says_so(
    open_window: OpenWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    window, mine, default = open_window(), voice("Mine"), replace(voice("Kokoro"), is_default=True)
    monkeypatch.setattr(ProcessTask, "start", lambda _task: None)
    qtbot.waitUntil(lambda: window.catalog.is_read, timeout=WAIT_MS)
    window.catalog.apply_scan(CatalogScan((default, mine), (BERT,), (), "Kokoro"))
    window.voices_feature.library.open_library()
    library = window.voices_feature.library.dialog
    assert library is not None
    assert library.list.item(0).text() == "Kokoro\nAdded by you, default"
    library.select_voice("Mine")
    library.facts.buttons["default"].click()
    assert [job.work.arguments for job in window.task_queue.jobs] == [("voices", "use", "--", "Mine")]
    library.select_voice("Kokoro")
    assert library.facts.buttons["default"].isHidden()
    library.close()


def test_differences_are_written_without_an_exponent() -> None:
    for difference, shown in ((3.1e-6, "0.0000031."), (0.0, " 0."), (1e-12, "0.0000001."), (0.25, "0.25.")):
        assert describe_processing(voice(card=VoiceCardData(max_abs_diff=difference))).endswith(shown)


def test_a_bert_of_its_own_is_not_offered_as_a_download(qtbot: QtBot) -> None:
    parent, facts, card = QWidget(), VoiceFactsPage(), VoiceCard()
    for widget in (parent, facts, card):
        qtbot.addWidget(widget)
    for bert, action in ((SBV2_BERT_ID, "Download BERT"), ("their-own", "Add BERT")):
        lacking = voice()
        lacking = replace(lacking, manifest=replace(lacking.manifest, bert=bert), has_bert=False)
        facts.show_voice(lacking)
        card.show_voice(lacking)
        offer = MissingBertDialog(parent, lacking.name, bert)
        assert facts.buttons["bert"].text().startswith(action)
        assert card.mend.text().startswith(action)
        assert offer.windowTitle() == action
        assert offer.download.isHidden() == (bert != SBV2_BERT_ID)
        said = " ".join(label.text() for label in offer.findChildren(QLabel) if not label.isHidden())
        assert ("their-own" in said) == (bert != SBV2_BERT_ID)
        assert ("download it once" in said) == (bert == SBV2_BERT_ID)
        offer.close()


@pytest.mark.parametrize(("language", "name", "form"), [("ja", "Mei（付属）", "Koebako 付属"), ("en", "Mei (starter)", "Built in")])
def test_the_voice_we_ship_is_named_in_the_language_of_the_user(
    monkeypatch: pytest.MonkeyPatch, language: str, name: str, form: str
) -> None:
    monkeypatch.setattr("app.common.language._current", language)
    shipped = voice("Mei (starter)", place="shipped")
    shipped = replace(shipped, manifest=replace(shipped.manifest, format="starter"))
    assert shipped.name == name
    assert shipped.manifest.name == "Mei (starter)", "what lines and commands find it by"
    assert any(value.startswith(form) for _, value in list_voice_facts(shipped))


def test_what_can_be_done_first_stands_out(qtbot: QtBot) -> None:
    facts = VoiceFactsPage()
    qtbot.addWidget(facts)
    facts.show()
    for place, deed in (("own", "use"), ("aivisspeech", "prepare")):
        facts.show_voice(voice(place=place))  # type: ignore[arg-type]
        standing_out = [name for name, button in facts.buttons.items() if button.isVisible() and button.objectName() == "primary"]
        assert standing_out == [deed]


def test_a_long_name_ends_in_dots_in_the_list(qtbot: QtBot) -> None:
    parent = QWidget()
    qtbot.addWidget(parent)
    catalog = VoiceCatalog(parent)
    catalog.voices = (voice("とても長い名前の声" * 10), voice("Mei"))
    library = VoiceLibraryDialog(parent, catalog)
    library.show()
    view = library.list
    assert view.horizontalScrollBarPolicy() is Qt.ScrollBarPolicy.ScrollBarAlwaysOff
    qtbot.waitUntil(lambda: view.visualItemRect(view.item(0)).width() <= view.viewport().width(), timeout=WAIT_MS)
    assert view.item(0).toolTip() == catalog.voices[0].name
    library.close()
    catalog.close()


def test_only_what_was_added_is_called_so() -> None:
    own = voice("Mine")
    natural = replace(own, manifest=replace(own.manifest, id=NATURAL_VOICE_ID))
    assert [describe_source(item) for item in (own, natural, voice("Mei", place="shipped"))] == [
        "Added by you",
        "Koebako's natural voice",
        "Included with Koebako",
    ]
