"""A guide to adding a voice by hand, for when the program cannot download it."""

from __future__ import annotations

import html

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel

from app.adapters.http.hub_addresses import AIVISHUB_PAGES, HUGGING_FACE
from app.common.language import localize
from app.install.download_sources import STANDARD_BERT_REPOSITORY, STANDARD_BERT_REVISION
from app.voices.required_bert import STANDARD_DOWNLOAD_MB

BERT_PAGE_URL = f"{HUGGING_FACE}/{STANDARD_BERT_REPOSITORY}/tree/{STANDARD_BERT_REVISION}"
VOICE_SEARCH_URL = f"https://{AIVISHUB_PAGES}/search"


def create_download_guide() -> QLabel:
    """Return a label of three steps; its addresses can be opened, selected and copied."""
    label = QLabel(
        localize(
            f"<b>手動で追加するには</b>"
            f"<ol style='margin-left: 18px; -qt-list-indent: 0'>"
            f"<li>声：{_format_link(VOICE_SEARCH_URL)} から .aivmx ファイルをダウンロードします。</li>"
            f"<li>BERT（{STANDARD_DOWNLOAD_MB} MB、多くの声で共通）：{_format_link(BERT_PAGE_URL)} から model_fp16.onnx と tokenizer.json を"
            f"同じフォルダーにダウンロードします。</li>"
            f"<li>.aivmx と model_fp16.onnx を Koebako のウィンドウにドラッグ＆ドロップします。</li></ol>",
            f"<b>To add a voice by hand</b>"
            f"<ol style='margin-left: 18px; -qt-list-indent: 0'>"
            f"<li>Voice: download an .aivmx file from {_format_link(VOICE_SEARCH_URL)}.</li>"
            f"<li>BERT ({STANDARD_DOWNLOAD_MB} MB, shared by most voices): download model_fp16.onnx and tokenizer.json into one folder "
            f"from {_format_link(BERT_PAGE_URL)}.</li>"
            f"<li>Drop the .aivmx file and model_fp16.onnx on the Koebako window.</li></ol>",
        )
    )
    label.setTextFormat(Qt.TextFormat.RichText)
    label.setWordWrap(True)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextBrowserInteraction)
    label.setOpenExternalLinks(True)
    label.setAccessibleName(localize("手動で追加する手順", "How to add a voice by hand"))
    return label


def _format_link(address: str) -> str:
    return f"<a href='{html.escape(address)}'>{html.escape(address)}</a>"
