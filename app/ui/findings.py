"""What a probe of the backends has found, in words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox

from app.language import say


def show_findings(box: QComboBox, findings: Iterable[Mapping[str, Any]]) -> None:
    """Puts the figures of each backend where the mouse finds them in its list; `auto` shows the one it takes."""
    found = list(findings)
    for row in range(box.count()):
        key = box.itemData(row)
        words = [finding_words(item) for item in found if key == item.get("backend") or (key == "auto" and item.get("chosen"))]
        if words:
            box.setItemData(row, "\n".join(words), Qt.ItemDataRole.ToolTipRole)
    if found:
        box.setToolTip("\n".join(finding_words(item) for item in found))


def finding_words(item: Mapping[str, Any]) -> str:
    """One candidate: a line of `koebako backends --json`."""
    name = f"{item.get('backend', '')} {item.get('adapter') or ''}".strip()
    if item.get("ok") is None:
        return say(f"{name}: 試していません", f"{name}: not tried")
    if not item.get("ok"):
        return say(f"{name}: 使えません。", f"{name}: cannot be used. ") + str(item.get("reason") or "")
    first, total = item.get("first_audio_ms"), item.get("total_ms")
    figures = ""
    if isinstance(first, int | float) and isinstance(total, int | float):
        figures = say(f"最初の音まで {first:.0f} ms、全体 {total:.0f} ms", f"first audio {first:.0f} ms, all {total:.0f} ms")
    return f"{name}: {figures}" + (say("（Auto が使います）", " (taken by Auto)") if item.get("chosen") else "")


def summary(findings: Iterable[Mapping[str, Any]]) -> str:
    """The one that was chosen, for the banner."""
    chosen = next((item for item in findings if item.get("chosen")), None)
    return finding_words(chosen) if chosen is not None else ""
