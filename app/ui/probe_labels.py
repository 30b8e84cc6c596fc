"""What a probe of the backends has found, in words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtGui import QStandardItemModel
from PySide6.QtWidgets import QComboBox, QStyledItemDelegate, QStyleOptionViewItem

from app.adapters.ort.backends import name_of
from app.language import localized
from app.ui.labels import milliseconds
from app.ui.plain_text import plain_tip

FIGURE = Qt.ItemDataRole.UserRole + 1
PACKAGES = {"cuda": "onnxruntime-gpu", "openvino": "onnxruntime-openvino"}
ARROW = 40  # pixels beside the text


class FigureDelegate(QStyledItemDelegate):
    """Shows behind each name in an open list what was measured; the closed box stays short."""

    def initStyleOption(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> None:
        """Name and figure."""
        super().initStyleOption(option, index)
        figure = index.data(FIGURE)
        if figure:
            option.text = f"{option.text}    {figure}"


def show_findings(box: QComboBox, findings: Iterable[Mapping[str, Any]]) -> None:
    """Puts the figures of each backend into its list, with all of them where the mouse rests; `auto` shows those of the one it takes."""
    found = list(findings)
    if not isinstance(box.itemDelegate(), FigureDelegate):
        box.setItemDelegate(FigureDelegate(box))
    for row in range(box.count()):
        key = box.itemData(row)
        if not box.model().flags(box.model().index(row, 0)) & Qt.ItemFlag.ItemIsEnabled:
            continue  # it says how it can be had
        items = [item for item in found if key == item.get("backend") or (key == "auto" and item.get("chosen"))]
        box.setItemData(row, plain_tip("\n".join(map(finding_words, items))) or None, Qt.ItemDataRole.ToolTipRole)
        box.setItemData(row, figure_of(items[0]) if items else None, FIGURE)
    box.view().setMinimumWidth(box.view().sizeHintForColumn(0) + ARROW)


def offer_missing(box: QComboBox, keys: Iterable[str]) -> None:
    """Adds backends that are not here, greyed, each with how it can be had."""
    for key in keys:
        short, whole = _way_to(key)
        box.addItem(name_of(key))
        row = box.count() - 1
        box.setItemData(row, short, FIGURE)
        box.setItemData(row, whole, Qt.ItemDataRole.ToolTipRole)
        model = box.model()
        if isinstance(model, QStandardItemModel):
            model.item(row).setEnabled(False)


def _way_to(key: str) -> tuple[str, str]:
    """How a backend can be had, in a word and in a sentence."""
    if key == "directml":
        whole = localized("DirectML は Windows 版の Koebako に含まれています。", "DirectML is included in Koebako for Windows.")
        return localized("Windows 版のみ", "Windows only"), whole
    if key == "coreml":
        whole = localized(
            "CoreML は macOS で Python から実行すると使えます。", "CoreML is available on macOS when Koebako runs from Python."
        )
        return localized("macOS のみ", "macOS only"), whole
    package = PACKAGES.get(key, "")
    whole = localized(
        f"Koebako を Python から実行し、onnxruntime の代わりに {package} をインストールすると使えます。",
        f"Available when Koebako runs from Python with {package} in place of onnxruntime.",
    )
    return localized("追加が必要", "not installed"), whole


def figure_of(item: Mapping[str, Any]) -> str:
    """The time until the first sound, in a few letters; empty where there is none."""
    first = item.get("first_audio_ms")
    if item.get("ok") is False:
        return localized("使用不可", "unavailable")
    return f"{milliseconds(first)} ms" if isinstance(first, int | float) else ""


def finding_words(item: Mapping[str, Any]) -> str:
    """One candidate: a line of `koebako backends --json`."""
    name = f"{item.get('backend', '')} {item.get('adapter') or ''}".strip()
    if item.get("ok") is None:
        return localized(f"{name}: 未測定", f"{name}: not measured")
    if not item.get("ok"):
        return localized(f"{name}: 使用できません。", f"{name}: not available. ") + str(item.get("reason") or "")
    first, total = item.get("first_audio_ms"), item.get("total_ms")
    figures = ""
    if isinstance(first, int | float) and isinstance(total, int | float):
        figures = localized(
            f"最初の音声まで {first:.0f} ms、合計 {total:.0f} ms", f"time to first audio {first:.0f} ms, total {total:.0f} ms"
        )
    return f"{name}: {figures}" + (localized("（Auto で使用）", " (used by Auto)") if item.get("chosen") else "")


def summary(findings: Iterable[Mapping[str, Any]]) -> str:
    """The one that was chosen, for the banner."""
    chosen = next((item for item in findings if item.get("chosen")), None)
    return finding_words(chosen) if chosen is not None else ""
