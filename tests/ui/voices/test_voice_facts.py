"""The page about a voice in the library: whatever its names, nothing is cut off."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QLabel, QWidget
from pytestqt.qtbot import QtBot

from app.ui.voices.catalog import VoiceCatalog
from app.ui.voices.catalog_voice import CatalogVoice, Place
from app.ui.voices.voice_facts import VoiceFacts
from app.ui.voices.voice_library import VoiceLibrary
from app.voices.card import Card
from app.voices.manifest import Named, VoiceManifest

LONG = "G_" + "very_long_file_name_" * 5 + ".safetensors"
BERT = "ku-nlp/deberta-v2-large-japanese-char-wwm"


def voice(name: str = "Mei", place: Place = "own", card: Card | None = None, styles: int = 1, about: str = "") -> CatalogVoice:
    named = tuple(Named(number, f"とても嬉しい気持ち {number}") for number in range(styles))
    graphs = {"prosody": "p.onnx", "decoder": "d.onnx"}
    manifest = VoiceManifest(name, name, "aivmx", BERT, 44_100, 512, (Named(0, "A"),), named, graphs, description=about)
    return CatalogVoice(name, manifest, Path("/nowhere"), place, card or Card(), 1_000_000)


def words(facts: VoiceFacts) -> dict[str, QLabel]:
    body = facts.widget()
    assert body is not None
    return {label.text(): label for label in body.findChildren(QLabel) if label.text()}


def test_long_words_do_not_widen_the_page_and_many_need_a_longer_one(qtbot: QtBot) -> None:
    facts = VoiceFacts()
    qtbot.addWidget(facts)
    facts.resize(420, 300)
    facts.show_voice(voice())
    facts.show()
    QApplication.processEvents()
    facts.show_voice(voice(card=Card(source_name=LONG, notes=("One.", "Two.")), styles=40, about="A long description. " * 30))
    body = facts.widget()
    assert body is not None
    qtbot.waitUntil(lambda: body.height() >= body.heightForWidth(body.width()) > 300)
    assert body.width() <= facts.viewport().width()
    shown = words(facts)
    (short,) = [text for text in shown if text.startswith("G_very")]
    assert "…" in short
    assert short.endswith(".safetensors")
    assert shown[short].toolTip() == LONG
    assert BERT in shown, "a word that can be broken stays whole"


def test_what_can_be_done_first_stands_out(qtbot: QtBot) -> None:
    facts = VoiceFacts()
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
    library = VoiceLibrary(parent, catalog)
    library.show()
    view = library.list
    assert view.horizontalScrollBarPolicy() is Qt.ScrollBarPolicy.ScrollBarAlwaysOff
    qtbot.waitUntil(lambda: view.visualItemRect(view.item(0)).width() <= view.viewport().width())
    assert view.item(0).toolTip() == catalog.voices[0].name
    library.close()
    catalog.close()
