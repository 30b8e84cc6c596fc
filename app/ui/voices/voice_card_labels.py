"""Texts of the voice card: the makers of a voice, an honest description, and what a missing BERT is and where to get it."""

from PySide6.QtGui import QFontMetrics

from app.common.language import localize
from app.core.sound.voice_traits import KOKORO_ARCHITECTURE
from app.engine.open_voices import OpenedVoice
from app.ui.voices.catalog_voice import CatalogVoice
from app.voices.required_bert import SBV2_BERT_ID, STANDARD_DOWNLOAD_MB
from app.voices.voice_labels import describe_natural_voice, describe_starter_voice

MOST_LETTERS, MOST_MAKERS = 100, 3  # the voice library shows the rest of the description and of the makers


VoiceSummary = CatalogVoice | OpenedVoice  # a voice as card and choosers show it


def list_makers(voice: CatalogVoice) -> list[str]:
    """Return the makers and version of a voice, and whether it is still being prepared.

    "Nanairo" comes first if the architecture is one, as such voices can do more.
    """
    parts = [
        "Nanairo" in voice.model_card.architecture and "Nanairo",
        localize("、", ", ").join(voice.model_card.creators[:MOST_MAKERS]) + "…" * (len(voice.model_card.creators) > MOST_MAKERS),
        voice.model_card.version and f"v{voice.model_card.version}",
        voice.origin == "aivisspeech" and "AivisSpeech",
        voice.is_pending and localize("残りの準備中", "being finished"),
    ]
    return [part for part in parts if part]


def wrap_parts(parts: list[str], metrics: QFontMetrics, max_width: int) -> str:
    """Join parts with dots, as many to a line as fit in `max_width` pixels."""
    # Qt's own word wrap would leave the dot between two parts at the end of a line.
    lines: list[str] = []
    for part in parts:
        longer = f"{lines[-1]} · {part}" if lines else ""
        if longer and metrics.horizontalAdvance(longer) <= max_width:
            lines[-1] = longer
        else:
            lines.append(part)
    return "\n".join(lines)


def describe_unprepared_voice() -> str:
    """Return the sentence about a voice of AivisSpeech that is not prepared."""
    return localize("使う前に、一度だけ準備が必要です。", "This voice must be prepared once before use.")


def describe_voice(voice: VoiceSummary) -> str:
    """Return an honest description of a voice in one or two lines."""
    lines = []
    if voice.is_starter:
        lines.append(describe_starter_voice())
    elif voice.architecture is KOKORO_ARCHITECTURE:
        lines.append(describe_natural_voice())
    elif voice.description:
        lines.append(voice.description if len(voice.description) <= MOST_LETTERS else voice.description[:MOST_LETTERS] + "…")
    if voice.is_single_graph:
        lines.append(localize("一体型の声です（文ごとに再生を始めます）。", "Single graph: playback starts sentence by sentence."))
    return "\n".join(lines)


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
