"""How exactly a voice speaks, as its card and the library offer it."""

from dataclasses import replace

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from app.settings.user_settings import PrecisionPreference
from app.ui.voices.catalog_voice import CatalogScan, CatalogVoice
from app.ui.voices.precision_button import PrecisionButton
from app.ui.voices.voice_catalog import VoiceCatalog
from app.ui.voices.voice_library_dialog import VoiceLibraryDialog
from tests.ui.conftest import WAIT_MS
from tests.ui.voices.test_voice_facts_page import voice
from tests.voices.both_precisions import FAST, REFUSED


def fast_voice(name: str) -> CatalogVoice:
    exact = voice(name)
    return replace(exact, manifest=replace(exact.manifest, fast=FAST))


def test_fast_is_offered_with_its_figures_and_disabled_with_the_reason(qtbot: QtBot) -> None:
    button = PrecisionButton()
    qtbot.addWidget(button)
    button.show_voice(fast_voice("A"), "fast")
    assert (button.text(), button.fast.isChecked()) == ("Fast", True)
    assert button.fast.text() == "Fast (about 2.6× as fast)"
    assert button.fast.toolTip().startswith("signal-to-noise ratio 41 dB"), "figures are for those who ask"
    exact = voice("B")
    button.show_voice(replace(exact, manifest=replace(exact.manifest, refused=REFUSED)))
    assert (button.text(), button.exact.isChecked(), button.fast.isEnabled()) == ("Exact", True, False)
    assert button.fast.text() == "Fast (not available for this voice)"
    assert button.fast.toolTip() == "Flow: signal-to-noise ratio 31.2 dB, 35 needed"
    assert not button.isHidden()
    button.show_voice(voice("C", place="shipped"))
    assert button.isHidden(), "there is nothing to choose"


def test_it_says_where_fast_has_no_effect(qtbot: QtBot) -> None:
    button = PrecisionButton()
    qtbot.addWidget(button)
    button.show_voice(fast_voice("A"), "fast", is_fast_unavailable=True)
    assert "Fast needs the CPU" in button.toolTip()
    button.show_voice(fast_voice("A"), "exact", is_fast_unavailable=True)
    assert "CPU" not in button.toolTip()


def test_the_library_chooses_for_the_selected_voice_and_marks_it(qtbot: QtBot) -> None:
    parent = QWidget()
    qtbot.addWidget(parent)
    catalog = VoiceCatalog(parent)
    catalog.apply_scan(CatalogScan((fast_voice("A"), fast_voice("B"), voice("C")), (), (), ""))
    library = VoiceLibraryDialog(parent, catalog)
    library.select_voice("B")
    assert library.facts.precision is not None
    library.show()
    library.activateWindow()
    qtbot.waitUntil(library.isActiveWindow, timeout=WAIT_MS)
    library.facts.precision.setFocus()
    with qtbot.waitSignal(catalog.precision_preference_changed, timeout=WAIT_MS) as chosen:
        library.facts.precision.fast.trigger()
    assert chosen.args == [PrecisionPreference(fast=("B",))]
    assert [library.list.item(row).text().endswith(", Fast") for row in range(3)] == [False, True, False]
    assert library.current_voice is not None
    assert library.current_voice.id == "B", "the selection stays"
    assert library.facts.precision is not None
    assert library.facts.precision.text() == "Fast"
    qtbot.waitUntil(library.facts.precision.hasFocus, timeout=WAIT_MS)  # the keyboard stays where it was
    library.select_voice("C")
    assert library.facts.precision.text() == "Exact"
    library.close()
    catalog.close()


def test_a_default_counts_for_voices_that_have_fast_and_no_choice() -> None:
    parent = QObject()
    catalog = VoiceCatalog(parent, (), PrecisionPreference("exact", fast=("A",)))
    first, second, third = fast_voice("A"), fast_voice("B"), voice("C")
    assert [catalog.find_precision(item) for item in (first, second, third)] == ["fast", "exact", "exact"]
    catalog.set_precision_preference(PrecisionPreference("fast", exact=("A",)))
    assert [catalog.find_precision(item) for item in (first, second, third)] == ["exact", "fast", "exact"]
    catalog.close()
