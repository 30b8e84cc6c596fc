"""Dialogs that wait for a person: nobody answers them in a test, so one that no test expected is an error and not a wait."""

from collections.abc import Callable
from typing import NoReturn

import pytest
from PySide6.QtGui import QDrag
from PySide6.QtWidgets import QColorDialog, QDialog, QFileDialog, QFontDialog, QInputDialog, QMenu, QMessageBox

# Everything of Qt's that runs a loop of its own until somebody answers. A test that expects one sets an answer in its place.
WAITING: dict[type, tuple[str, ...]] = {
    QDialog: ("exec",),
    QMessageBox: ("exec", "question", "warning", "information", "critical", "about"),
    QFileDialog: ("exec", "getSaveFileName", "getSaveFileUrl", "getOpenFileName", "getOpenFileNames", "getOpenFileUrl", "getExistingDirectory"),
    QInputDialog: ("exec", "getText", "getMultiLineText", "getItem", "getInt", "getDouble"),
    QColorDialog: ("exec", "getColor"),
    QFontDialog: ("exec", "getFont"),
    QMenu: ("exec",),
    QDrag: ("exec",),
}  # fmt: skip


class UnexpectedDialogError(AssertionError):
    """A dialog waited for a person."""


def refuse_dialogs(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Makes every waiting dialog an error where it is opened; returns the list that their names are added to.

    The list is for those that are opened in a slot of Qt's, whose errors do not reach the test.
    """
    opened: list[str] = []
    for kind, names in WAITING.items():
        for name in names:
            monkeypatch.setattr(kind, name, _refusal(f"{kind.__name__}.{name}", opened))
    return opened


def expect_dialog(monkeypatch: pytest.MonkeyPatch, kind: type, name: str) -> None:
    """Lets a test open this one for real: it answers by a timer, through the buttons."""
    monkeypatch.setattr(kind, name, _REAL[kind, name])


_REAL = {(kind, name): getattr(kind, name) for kind, names in WAITING.items() for name in names}


def _refusal(name: str, opened: list[str]) -> Callable[..., NoReturn]:
    def refuse(*_arguments: object, **_named: object) -> NoReturn:
        opened.append(name)
        raise UnexpectedDialogError(f"{name} waits for a person; the test did not expect it")

    return refuse
