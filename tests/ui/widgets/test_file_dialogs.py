"""A dialog opens where the last file of its kind was found."""

from pathlib import Path

import pytest
from PySide6.QtWidgets import QFileDialog

from app.ui.widgets import dialogs


def test_each_kind_has_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    answers = [str(tmp_path / "texts" / "a.txt"), "", str(tmp_path / "voices" / "b.aivmx"), ""]

    def several(_parent: object, _title: str, folder: str, _kinds: str) -> tuple[list[str], str]:
        asked.append(folder)
        answer = answers.pop(0)
        return [answer] if answer else [], ""

    monkeypatch.setattr(dialogs, "_last_folders", {})
    monkeypatch.setattr(QFileDialog, "getOpenFileNames", several)
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *where: (asked.append(where[2]), ("", ""))[1])
    assert dialogs.ask_for_files(None, "", "Text (*.txt)") == [tmp_path / "texts" / "a.txt"]
    assert dialogs.ask_for_files(None, "", "Text (*.txt)") == []
    dialogs.ask_for_files(None, "", "Voices (*.aivmx)")
    assert dialogs.ask_for_file(None, "", "Voices (*.aivmx)") is None
    dialogs.ask_for_files(None, "", "Text (*.txt)")
    assert Path(asked[0] or "nowhere").is_dir(), "among the user's documents, not where the program lies"
    assert asked[1:] == [str(tmp_path / "texts"), asked[0], str(tmp_path / "voices"), str(tmp_path / "texts")]
