"""What is said of a missing BERT: the one that most voices share can be downloaded, any other comes from who made the voice."""

from __future__ import annotations

from app.language import localized
from app.voices.wanted_bert import SBV2_BERT, STANDARD_DOWNLOAD_MB


def bert_action(bert: str, *, with_size: bool = False) -> str:
    """What a button says that gets this BERT."""
    if bert == SBV2_BERT and with_size:
        return localized(f"BERT をダウンロード（{STANDARD_DOWNLOAD_MB} MB）…", f"Download BERT ({STANDARD_DOWNLOAD_MB} MB)…")
    if bert == SBV2_BERT:
        return localized("BERT をダウンロード…", "Download BERT…")
    return localized("BERT を追加…", "Add BERT…")


def bert_reason(bert: str) -> str:
    """Why it is needed, and where it comes from."""
    if bert == SBV2_BERT:
        return localized(
            "BERT は文の意味を抑揚に反映するモデルです。多くの声で共通なので、ダウンロードは一度で済みます。",
            "BERT conveys the meaning of the text to the voice. Most voices share the same model, so you only need to download it once.",
        )
    return localized(
        f"この声は専用の BERT モデル（{bert}）を使います。声の配布元からダウンロードしたファイルを追加してください。",
        f"This voice uses its own BERT model ({bert}). Get it from where the voice was published and add the file.",
    )


def bert_hint(bert: str) -> str:
    """The same in a few words, for a message."""
    if bert == SBV2_BERT:
        return localized("多くの声で共通なので、ダウンロードは一度で済みます。", "You only need to download it once.")
    return localized(
        "声の配布元からダウンロードした BERT のファイルを追加してください。",
        "Get the BERT from where the voice was published and add the file.",
    )
