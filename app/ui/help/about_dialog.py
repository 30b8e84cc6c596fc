"""The dialogs about the program: version, privacy, model cards and licences; and the change log."""

import html
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from importlib import metadata
from pathlib import Path

from PySide6.QtCore import Qt, QUrl, Signal, Slot
from PySide6.QtWidgets import QHBoxLayout, QLabel, QTabWidget, QTextBrowser, QVBoxLayout, QWidget

from app.common.change_log import translate_change_log
from app.common.files.paths import find_change_log, find_resources_dir, is_frozen
from app.common.files.untrusted_json import parse_object
from app.common.language import get_language, localize
from app.ui.help.guide_page_view import GuidePageView
from app.ui.theme.theme import draw_icon
from app.ui.widgets.controls import create_close_box, describe_control, fill_box
from app.ui.widgets.dialogs import ClosableDialog

LICENCE_NAMES = ("licen", "copying", "notice", "thirdparty", "authors")
LICENCE_SUFFIXES = ("", ".txt", ".md", ".rst")
# Code inside a package that its metadata does not name.
BUNDLED_LICENCES = {
    "pyopenjtalk-plus": "Open JTalk, hts_engine, NAIST-jdic: BSD-3-Clause",
    "sounddevice": "PortAudio: MIT",
    "soundfile": "libsndfile: LGPL-2.1-or-later; FLAC, Ogg, Vorbis, Opus: BSD-3-Clause; LAME, mpg123: LGPL",
    "pyside6-essentials": "Qt 6: LGPL-3.0-only; in it zlib, libpng: Zlib; libjpeg-turbo: IJG, BSD-3-Clause; FreeType: FTL; "
    "HarfBuzz, MD4C, TinyCBOR: MIT; PCRE2, double-conversion: BSD-3-Clause",
    "sudachipy": "Rust crates: Apache-2.0, MIT, ISC, Unlicense",
    "kanalizer": "Rust crates: Apache-2.0, MIT, BSD-3-Clause, ISC, MPL-2.0, Unicode-3.0",
    "onnxruntime-directml": "DirectML and Visual C++ runtime: Microsoft",
}

WHATS_NEW_SIZE_PX = (720, 560)


@dataclass(frozen=True, slots=True)
class ThirdParty:
    """A third-party package."""

    name: str
    version: str
    licence: str
    licence_files: tuple[Path, ...] = ()


def find_bundled_notice() -> Path | None:
    """Return NOTICE.txt from the folder of a built program's executable; None in a checkout or a wheel."""
    beside = Path(sys.executable).parent
    # An app for macOS keeps it among its resources.
    notices = (beside / "NOTICE.txt", beside.parent / "Resources" / "NOTICE.txt")
    return next((notice for notice in notices if is_frozen() and notice.is_file()), None)


def list_third_parties(root: str = "koebako") -> list[ThirdParty]:
    """Return the packages that `root` requires on this machine, directly or indirectly and without extras, sorted by name."""
    packages: dict[str, ThirdParty] = {}
    waiting = _list_requirements(root)
    while waiting:
        name = waiting.pop()
        # Package names are compared normalised: requirements spell them with dashes, underscores or dots.
        key = re.sub(r"[-_.]+", "-", name).lower()
        if key in packages:
            continue
        try:
            item = metadata.distribution(name)
        except metadata.PackageNotFoundError:
            # Requirements for other platforms are listed too, but not installed here.
            continue
        paths = (Path(str(item.locate_file(file))) for file in item.files or [])
        texts = [path for path in paths if path.name.lower().startswith(LICENCE_NAMES) and path.suffix.lower() in LICENCE_SUFFIXES]
        packages[key] = ThirdParty(item.name, item.version, _find_licence(item), tuple(text for text in texts if text.is_file()))
        waiting += _list_requirements(name)
    return [packages[key] for key in sorted(packages)]


def list_model_cards() -> list[tuple[str, str]]:
    """Return name and model card (Markdown) of each voice and BERT that ships with the program."""
    cards = []
    for card in sorted(find_resources_dir().glob("voices/*/MODEL_CARD.md")):
        manifest = parse_object((card.parent / "voice.json").read_bytes())
        japanese = card.with_name("MODEL_CARD.ja.md")
        path = japanese if get_language() == "ja" and japanese.is_file() else card
        cards.append((str(manifest["name"]), path.read_text(encoding="utf-8")))
    for facts in sorted(find_resources_dir().glob("bert/*/bert.json")):
        bert = parse_object(facts.read_bytes())
        cards.append((str(bert["name"]), f"# {bert['name']}\n\n{bert['licence']}\n"))
    return cards


def _list_requirements(name: str) -> list[str]:
    try:
        requirements = metadata.requires(name) or []
    except metadata.PackageNotFoundError:
        return []
    return [match.group() for item in requirements if "extra ==" not in item and (match := re.match(r"[A-Za-z0-9._-]+", item))]


def _find_licence(item: metadata.Distribution) -> str:
    fields = item.metadata
    short = next((value for key in ("License-Expression", "License") for value in fields.get_all(key) or []), "")
    classifiers = [value.rsplit(" :: ", 1)[-1] for value in fields.get_all("Classifier") or [] if value.startswith("License ::")]
    # Some packages put the whole licence text into the "License" field; the classifiers are shorter.
    stated = short if 0 < len(short) < 80 else ", ".join(classifiers)
    return "; ".join(filter(None, (stated, BUNDLED_LICENCES.get(re.sub(r"[-_.]+", "-", item.name).lower(), ""))))


ABOUT_PICTURE_PX = 64
BACK_LINK = "back"  # the URL scheme of the link that leads from a licence back to the list


class AboutDialog(ClosableDialog):
    """A dialog with version, privacy, model cards and third parties; each page is filled when it is first shown.

    Signals:
        third_parties_requested(): `show_third_parties` is to be called with the result of `format_third_parties`, which takes 0.1 s.
    """

    third_parties_requested = Signal()

    def __init__(self, version: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(localize("Koebako について", "About Koebako"))
        picture = QLabel()
        picture.setPixmap(draw_icon("koebako").pixmap(ABOUT_PICTURE_PX, ABOUT_PICTURE_PX))
        text = f"<h2>Koebako {html.escape(version)}</h2>{_describe_purpose()}"
        head = QLabel(text, textFormat=Qt.TextFormat.RichText, wordWrap=True)
        row = fill_box(QHBoxLayout(), picture, (head, 1), spacing=16)
        self.tabs = QTabWidget()
        self.tabs.setAccessibleName(self.windowTitle())
        self._third_party_text = ""
        # Fills a page that was not shown yet.
        self._fill_by_page: dict[QWidget, Callable[[], object]] = {}
        for name, card in list_model_cards():
            page = self._add_page(name)
            self._fill_by_page[page] = partial(page.setMarkdown, card)
        self.third_parties = self._add_page(localize("オープンソースライセンス", "Open-source licences"))
        self._fill_by_page[self.third_parties] = self.third_parties_requested.emit
        self.third_parties.setPlaceholderText(localize("読み込み中…", "Loading…"))
        # Links lead to local licence files and to the list itself; Qt would try to open them as documents.
        self.third_parties.setOpenLinks(False)
        self.third_parties.anchorClicked.connect(self._open_link)
        licence = find_resources_dir().parent / "LICENSE"
        if licence.is_file():
            terms = self._add_page(localize("Koebako のライセンス", "Koebako licence"))
            self._fill_by_page[terms] = lambda: terms.setPlainText(licence.read_text(encoding="utf-8"))
        self.tabs.currentChanged.connect(self._fill_page)
        self._fill_page()
        fill_box(QVBoxLayout(self), row, (self.tabs, 1), create_close_box(self), spacing=12, margins=None)
        self.resize(760, 580)

    @Slot(str)
    def show_third_parties(self, content: str) -> None:
        """Show the result of `format_third_parties`."""
        self._third_party_text = content
        if find_bundled_notice() is not None:
            self.third_parties.setPlainText(content)
        else:
            self.third_parties.setHtml(content)

    @Slot()
    def _fill_page(self) -> None:
        self._fill_by_page.pop(self.tabs.currentWidget(), lambda: None)()

    def _add_page(self, name: str) -> QTextBrowser:
        page = describe_control(QTextBrowser(openExternalLinks=True), name, name)
        self.tabs.addTab(page, name)
        return page

    @Slot(QUrl)
    def _open_link(self, link: QUrl) -> None:
        if link.scheme() == BACK_LINK:
            self.show_third_parties(self._third_party_text)
            return
        text = Path(link.toLocalFile()).read_text(encoding="utf-8", errors="replace")
        back = localize("← 一覧に戻る", "← Back to the list")
        self.third_parties.setHtml(f"<p><a href='{BACK_LINK}:'>{back}</a></p><pre style='white-space: pre-wrap'>{html.escape(text)}</pre>")


def _describe_purpose() -> str:
    return localize(
        "<p>日本語のテキストを Style-Bert-VITS2 の声で読み上げます。処理はすべてこのコンピューター内で行い、利用"
        "状況などの情報は送信しません。ネットワークに接続するのは、声や BERT をダウンロード・更新するときと、許可した場合に新しいバージョン"
        "を確認するときだけです。</p>",
        "<p>Reads Japanese text aloud with Style-Bert-VITS2 voices. Everything runs on this computer, and no "
        "usage data is sent. The network is used only to download or update voices and BERT models and, if you allow it, "
        "to ask for a newer version.</p>",
    )


@cache
def format_third_parties() -> str:
    """Return NOTICE.txt where there is one, else an HTML table."""
    notice = find_bundled_notice()
    if notice is not None:
        return notice.read_text(encoding="utf-8")
    rows = "".join(
        f"<tr><td>{html.escape(package.name)} {html.escape(package.version)}</td><td>{html.escape(package.licence)}</td><td>{_format_links(package.licence_files)}</td></tr>"
        for package in list_third_parties()
    )
    return f"<table cellpadding='4'>{rows}</table>"


def _format_links(texts: tuple[Path, ...]) -> str:
    """Return links to licence files; further files of the same name are shown by number."""
    links, earlier_names = [], set[str]()
    for number, text in enumerate(texts, 1):
        name = html.escape(text.name) if text.name not in earlier_names else f"({number})"
        earlier_names.add(text.name)
        links.append(f"<a href='{html.escape(QUrl.fromLocalFile(str(text)).toString())}'>{name}</a>")
    return " ".join(links)


class WhatsNewDialog(ClosableDialog):
    """A dialog with what changed, as Markdown."""

    def __init__(self, markdown: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(localize("更新履歴", "What's new"))
        self.view = GuidePageView()
        self.view.setAccessibleName(self.windowTitle())
        self.view.show_page(markdown)
        fill_box(
            QVBoxLayout(self), (self.view, 1), create_close_box(self, localize("閉じる（Esc）", "Close (Esc)")), spacing=12, margins=None
        )
        self.resize(*WHATS_NEW_SIZE_PX)


def load_change_log() -> str:
    """Return the change log in the language of the window, as Markdown; empty if it is not installed."""
    path = find_change_log()
    return "" if path is None else translate_change_log(path.read_text(encoding="utf-8"), get_language())
