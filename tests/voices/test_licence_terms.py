"""The shipped voice explains its licence in Japanese, and leaves the licence itself as it is."""

from pathlib import Path

import pytest

from app.common import language
from app.common.files.paths import find_resources_dir
from app.voices.prepared_voice import read_manifest
from app.voices.voice_labels import SUMMARY_NAME, format_licence_terms

MEI = find_resources_dir() / "voices" / "mei"
OWNERS = ("2009-2013 Nagoya Institute of Technology", "2015 Intelligent Communication Network", "2003-2012 Nagoya Institute of Technology")


def test_japanese_users_find_what_they_look_for_before_the_licence(monkeypatch: pytest.MonkeyPatch) -> None:
    licence = read_manifest(MEI).licence
    assert format_licence_terms(MEI, licence) == licence
    monkeypatch.setattr(language, "_current", "ja")
    shown = format_licence_terms(MEI, licence)
    assert shown.endswith(licence)
    assert all(word in shown.removesuffix(licence) for word in ("CC BY 4.0", "商用利用", "クレジット表記"))


def test_nobody_else_puts_words_before_a_licence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(language, "_current", "ja")
    (tmp_path / SUMMARY_NAME).write_text("何でもできます。", encoding="utf-8")
    assert format_licence_terms(tmp_path, "Ask first.") == "Ask first."


def test_the_japanese_card_carries_the_three_notices_unchanged() -> None:
    japanese, english = ((MEI / name).read_text(encoding="utf-8") for name in ("MODEL_CARD.ja.md", "MODEL_CARD.md"))
    quoted = [line for line in english.splitlines() if line.startswith(">")]
    assert all(any(owner in line for line in quoted) for owner in OWNERS)
    assert [line for line in japanese.splitlines() if line.startswith(">")] == quoted
