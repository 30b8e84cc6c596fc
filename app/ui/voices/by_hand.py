"""What to download where, when the program itself cannot."""

from __future__ import annotations

import html

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel

from app.adapters.http.hub_addresses import AIVISHUB_PAGES, HUGGING_FACE
from app.install.fetch import BERT_REPOSITORY, BERT_REVISION
from app.language import localized
from app.voices.wanted_bert import STANDARD_DOWNLOAD_MB

BERT_PAGE = f"{HUGGING_FACE}/{BERT_REPOSITORY}/tree/{BERT_REVISION}"
VOICE_PAGE = f"https://{AIVISHUB_PAGES}/search"


def by_hand() -> QLabel:
    """Three steps with addresses that can be opened, selected and copied."""
    label = QLabel(
        localized(
            f"<b>手動で追加するには</b>"
            f"<ol style='margin-left: 18px; -qt-list-indent: 0'>"
            f"<li>声：{_link(VOICE_PAGE)} から .aivmx ファイルをダウンロードします。</li>"
            f"<li>BERT（{STANDARD_DOWNLOAD_MB} MB、多くの声で共通）：{_link(BERT_PAGE)} から model_fp16.onnx と tokenizer.json を"
            f"同じフォルダーにダウンロードします。</li>"
            f"<li>.aivmx と model_fp16.onnx を Koebako のウィンドウにドラッグ＆ドロップします。</li></ol>",
            f"<b>To add a voice by hand</b>"
            f"<ol style='margin-left: 18px; -qt-list-indent: 0'>"
            f"<li>Voice: download an .aivmx file from {_link(VOICE_PAGE)}.</li>"
            f"<li>BERT ({STANDARD_DOWNLOAD_MB} MB, shared by most voices): download model_fp16.onnx and tokenizer.json into one folder "
            f"from {_link(BERT_PAGE)}.</li>"
            f"<li>Drop the .aivmx file and model_fp16.onnx on the Koebako window.</li></ol>",
        )
    )
    label.setTextFormat(Qt.TextFormat.RichText)
    label.setWordWrap(True)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextBrowserInteraction)
    label.setOpenExternalLinks(True)
    label.setAccessibleName(localized("手動で追加する手順", "How to add a voice by hand"))
    return label


def _link(address: str) -> str:
    return f"<a href='{html.escape(address)}'>{html.escape(address)}</a>"
