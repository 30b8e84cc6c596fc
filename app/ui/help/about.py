"""What this is, who is to be thanked, and under which terms."""

from __future__ import annotations

import html
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path

from PySide6.QtCore import Qt, QUrl, Signal, Slot
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QHBoxLayout, QLabel, QTabWidget, QTextBrowser, QVBoxLayout, QWidget

from app.language import localized
from app.paths import resources_dir
from app.ui.help.third_party import bundled_notice, model_cards, parts
from app.ui.theme.icons import icon

PICTURE = 64
BACK = "back"  # scheme of the link that leads back to the list


class AboutDialog(QDialog):
    """Version, privacy, model cards and third parties; each page is filled when it is shown for the first time.

    Args:
        version: of the program.

    Signals:
        parts_requested(): `show_parts` is to be given what `third_parties` finds, which takes a tenth of a second.
    """

    parts_requested = Signal()

    def __init__(self, version: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(localized("Koebako について", "About Koebako"))
        picture = QLabel()
        picture.setPixmap(icon("koebako").pixmap(PICTURE, PICTURE))
        head = QLabel(f"<h2>Koebako {html.escape(version)}</h2>{_purpose()}")
        head.setTextFormat(Qt.TextFormat.RichText)
        head.setWordWrap(True)
        row = QHBoxLayout()
        row.setSpacing(16)
        row.addWidget(picture)
        row.addWidget(head, 1)
        self.tabs = QTabWidget()
        self.tabs.setAccessibleName(self.windowTitle())
        self._parts = ""
        self._empty: dict[QWidget, Callable[[], object]] = {}
        for name, card in model_cards():
            page = self._add(name)
            self._empty[page] = partial(page.setMarkdown, card)
        self.third_parties = self._add(localized("オープンソースライセンス", "Open-source licences"))
        self._empty[self.third_parties] = self.parts_requested.emit
        self.third_parties.setPlaceholderText(localized("読み込み中…", "Loading…"))
        self.third_parties.setOpenLinks(False)
        self.third_parties.anchorClicked.connect(self._open)
        own = resources_dir().parent / "LICENSE"
        if own.is_file():
            terms = self._add(localized("Koebako のライセンス", "Koebako licence"))
            self._empty[terms] = lambda: terms.setPlainText(own.read_text(encoding="utf-8"))
        self.tabs.currentChanged.connect(self._fill)
        self._fill()
        box = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        box.button(QDialogButtonBox.StandardButton.Close).setToolTip(localized("閉じる", "Close"))
        box.rejected.connect(self.reject)
        column = QVBoxLayout(self)
        column.setSpacing(12)
        column.addLayout(row)
        column.addWidget(self.tabs, 1)
        column.addWidget(box)
        self.resize(760, 580)

    @Slot(str)
    def show_parts(self, found: str) -> None:
        """Shows what `third_parties` has found."""
        self._parts = found
        if bundled_notice() is not None:
            self.third_parties.setPlainText(found)
        else:
            self.third_parties.setHtml(found)

    @Slot()
    def _fill(self) -> None:
        self._empty.pop(self.tabs.currentWidget(), lambda: None)()

    def _add(self, name: str) -> QTextBrowser:
        page = QTextBrowser()
        page.setOpenExternalLinks(True)
        page.setAccessibleName(name)
        page.setToolTip(name)
        self.tabs.addTab(page, name)
        return page

    @Slot(QUrl)
    def _open(self, link: QUrl) -> None:
        if link.scheme() == BACK:
            self.show_parts(self._parts)
            return
        text = Path(link.toLocalFile()).read_text(encoding="utf-8", errors="replace")
        back = localized("← 一覧に戻る", "← Back to the list")
        self.third_parties.setHtml(f"<p><a href='{BACK}:'>{back}</a></p><pre style='white-space: pre-wrap'>{html.escape(text)}</pre>")


def _purpose() -> str:
    return localized(
        "<p>日本語のテキストを Style-Bert-VITS2 の声で読み上げます。処理はすべてこのコンピューター内で行い、利用"
        "状況などの情報は送信しません。ネットワークに接続するのは、声や BERT をダウンロード・更新するときだけです"
        "。</p>",
        "<p>Reads Japanese text aloud with Style-Bert-VITS2 voices. Everything runs on this computer, and no "
        "usage data is sent. The network is used only to download or update voices and BERT models.</p>",
    )


@cache
def third_parties() -> str:
    """NOTICE.txt where there is one, else a table in HTML."""
    notice = bundled_notice()
    if notice is not None:
        return notice.read_text(encoding="utf-8")
    rows = "".join(
        f"<tr><td>{html.escape(part.name)} {html.escape(part.version)}</td><td>{html.escape(part.licence)}</td><td>{_links(part.texts)}</td></tr>"
        for part in parts()
    )
    return f"<table cellpadding='4'>{rows}</table>"


def _links(texts: tuple[Path, ...]) -> str:
    """Names of the files; further ones of the same name by number."""
    links, seen = [], set[str]()
    for number, text in enumerate(texts, 1):
        name = html.escape(text.name) if text.name not in seen else f"({number})"
        seen.add(text.name)
        links.append(f"<a href='{html.escape(QUrl.fromLocalFile(str(text)).toString())}'>{name}</a>")
    return " ".join(links)
