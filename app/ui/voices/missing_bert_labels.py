"""Texts about a missing BERT: the standard one can be downloaded, any other comes from the voice's maker."""

from __future__ import annotations

from app.common.language import localize
from app.voices.required_bert import SBV2_BERT_ID, STANDARD_DOWNLOAD_MB


def format_bert_action(bert: str, *, with_size: bool = False) -> str:
    """Return the text of a button that adds this BERT."""
    if bert == SBV2_BERT_ID and with_size:
        return localize(f"BERT をダウンロード（{STANDARD_DOWNLOAD_MB} MB）…", f"Download BERT ({STANDARD_DOWNLOAD_MB} MB)…")
    if bert == SBV2_BERT_ID:
        return localize("BERT をダウンロード…", "Download BERT…")
    return localize("BERT を追加…", "Add BERT…")


def describe_bert_need(bert: str) -> str:
    """Explain why the BERT is needed and where to get it."""
    if bert == SBV2_BERT_ID:
        return localize(
            "BERT は文の意味を抑揚に反映するモデルです。多くの声で共通なので、ダウンロードは一度で済みます。",
            "BERT conveys the meaning of the text to the voice. Most voices share the same model, so you only need to download it once.",
        )
    return localize(
        f"この声は専用の BERT モデル（{bert}）を使います。声の配布元からダウンロードしたファイルを追加してください。",
        f"This voice uses its own BERT model ({bert}). Get it from where the voice was published and add the file.",
    )


def describe_bert_source(bert: str) -> str:
    """Say in a few words where to get the BERT, for a banner."""
    if bert == SBV2_BERT_ID:
        return localize("多くの声で共通なので、ダウンロードは一度で済みます。", "You only need to download it once.")
    return localize(
        "声の配布元からダウンロードした BERT のファイルを追加してください。",
        "Get the BERT from where the voice was published and add the file.",
    )
