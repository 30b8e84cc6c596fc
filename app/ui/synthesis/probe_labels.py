"""Texts about the results of a backend probe."""

from collections.abc import Iterable, Mapping
from typing import Any

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtGui import QStandardItemModel
from PySide6.QtWidgets import QComboBox, QStyledItemDelegate, QStyleOptionViewItem

from app.adapters.ort.backends import find_backend_name
from app.common.language import localize
from app.ui.display_names import format_ms
from app.ui.widgets.controls import escape_tip

FIGURE_ROLE = Qt.ItemDataRole.UserRole + 1
BACKEND_PACKAGES = {"cuda": "onnxruntime-gpu", "openvino": "onnxruntime-openvino"}
COMBO_ARROW_WIDTH = 40  # pixels of the arrow and the margins around the text


class FigureDelegate(QStyledItemDelegate):
    """A delegate that shows a figure behind each name in the open list; the closed box stays short."""

    def initStyleOption(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> None:
        """Append the figure to the name."""
        super().initStyleOption(option, index)
        figure = index.data(FIGURE_ROLE)
        if figure:
            option.text = f"{option.text}    {figure}"


def show_probe_results(box: QComboBox, results: Iterable[Mapping[str, Any]]) -> None:
    """Show the figures of each backend in its list, with all details as tool tip; `auto` shows those of the backend it takes."""
    candidates = list(results)
    if not isinstance(box.itemDelegate(), FigureDelegate):
        box.setItemDelegate(FigureDelegate(box))
    for row in range(box.count()):
        key = box.itemData(row)
        if not box.model().flags(box.model().index(row, 0)) & Qt.ItemFlag.ItemIsEnabled:
            # A greyed row already says how to get its backend.
            continue
        items = [item for item in candidates if key == item.get("backend") or (key == "auto" and item.get("chosen"))]
        box.setItemData(row, escape_tip("\n".join(map(describe_probe_result, items))) or None, Qt.ItemDataRole.ToolTipRole)
        box.setItemData(row, format_first_audio(items[0]) if items else None, FIGURE_ROLE)
    box.view().setMinimumWidth(box.view().sizeHintForColumn(0) + COMBO_ARROW_WIDTH)


def add_missing_backends(box: QComboBox, keys: Iterable[str]) -> None:
    """Add backends that are not installed, greyed, each with the way to get it."""
    for key in keys:
        short, whole = _describe_requirement(key)
        box.addItem(find_backend_name(key))
        row = box.count() - 1
        box.setItemData(row, short, FIGURE_ROLE)
        box.setItemData(row, whole, Qt.ItemDataRole.ToolTipRole)
        model = box.model()
        if isinstance(model, QStandardItemModel):
            model.item(row).setEnabled(False)


def _describe_requirement(key: str) -> tuple[str, str]:
    """Describe how to get a backend, in a few words and in a sentence."""
    if key == "directml":
        whole = localize("DirectML は Windows 版の Koebako に含まれています。", "DirectML is included in Koebako for Windows.")
        return localize("Windows 版のみ", "Windows only"), whole
    if key == "coreml":
        whole = localize(
            "CoreML は macOS で Python から実行すると使えます。", "CoreML is available on macOS when Koebako runs from Python."
        )
        return localize("macOS のみ", "macOS only"), whole
    package = BACKEND_PACKAGES.get(key, "")
    whole = localize(
        f"Koebako を Python から実行し、onnxruntime の代わりに {package} をインストールすると使えます。",
        f"Available when Koebako runs from Python with {package} in place of onnxruntime.",
    )
    return localize("追加が必要", "not installed"), whole


def format_first_audio(item: Mapping[str, Any]) -> str:
    """Format the time to first audio in ms; empty if it is not known."""
    first = item.get("first_audio_ms")
    if item.get("ok") is False:
        return localize("使用不可", "unavailable")
    return f"{format_ms(first)} ms" if isinstance(first, int | float) else ""


def describe_probe_result(item: Mapping[str, Any]) -> str:
    """Describe one candidate, a line of `koebako backends --json`."""
    name = f"{item.get('backend', '')} {item.get('adapter') or ''}".strip()
    if item.get("ok") is None:
        return localize(f"{name}: 未測定", f"{name}: not measured")
    if not item.get("ok"):
        return localize(f"{name}: 使用できません。", f"{name}: not available. ") + str(item.get("reason") or "")
    first, total = item.get("first_audio_ms"), item.get("total_ms")
    figures = ""
    if isinstance(first, int | float) and isinstance(total, int | float):
        figures = localize(
            f"最初の音声まで {first:.0f} ms、合計 {total:.0f} ms", f"time to first audio {first:.0f} ms, total {total:.0f} ms"
        )
    return f"{name}: {figures}" + (localize("（Auto で使用）", " (used by Auto)") if item.get("chosen") else "")


def summarise_probe(results: Iterable[Mapping[str, Any]]) -> str:
    """Describe the chosen candidate for the banner; empty if there is none."""
    chosen = next((item for item in results if item.get("chosen")), None)
    return describe_probe_result(chosen) if chosen is not None else ""
