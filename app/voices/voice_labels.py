"""A voice in the words of people: its name, its terms, its int8 graphs. What a manifest says is for programs, and in English for the voice that ships."""

from functools import cache
from pathlib import Path
from typing import NamedTuple

from app.common.files.paths import find_resources_dir
from app.common.language import choose_by_frontend, get_language, localize
from app.voices.int8_result import INT8_GRAPH_NAMES, Int8Graph, Int8Result, explain_int8_rejection
from app.voices.prepared_voice import VoiceManifest

STARTER_NAME_WORD = "starter"  # format of the voice that ships

NATURAL_VOICE_ID, NATURAL_VOICE_WORD = "kokoro", "natural"
"""Id of the natural voice, and the word by which it is added on the command line, where it is found by this too."""

SUMMARY_NAME = "LICENCE.ja.txt"


class SpeakerLabel(NamedTuple):
    """A speaker in the words of people, in Japanese and in English: the usual name, a name to remember, and a word of character.

    The greeting is what the speaker says of themselves, in the language of the voice.
    """

    usual: tuple[str, str]
    name: tuple[str, str]
    character: tuple[str, str]
    greeting: str

    @property
    def introductions(self) -> tuple[str, str]:
        """Return the name to remember with the word of character: ちどり（落ち着き）, Chidori (calm)."""
        return f"{self.name[0]}（{self.character[0]}）", f"{self.name[1]} ({self.character[1]})"


SPEAKER_LABELS = {
    "Female 1": SpeakerLabel(
        ("女声1", "Female 1"), ("つぐみ", "Tsugumi"), ("はきはき", "clear"), "つぐみです。長い文章も、はきはきとお読みします。"
    ),
    "Female 2": SpeakerLabel(
        ("女声2", "Female 2"), ("ちどり", "Chidori"), ("落ち着き", "calm"), "ちどりと申します。落ち着いて、ゆっくりお伝えしますね。"
    ),
    "Female 3": SpeakerLabel(
        ("女声3", "Female 3"), ("こまどり", "Komadori"), ("やわらか", "soft"), "こまどりです。やわらかい声で、そっとお話しします。"
    ),
    "Female 4": SpeakerLabel(
        ("女声4", "Female 4"), ("ひばり", "Hibari"), ("明るい", "bright"), "ひばりです！今日も、明るく元気にいきましょう。"
    ),
    "Male 1": SpeakerLabel(
        ("男声1", "Male 1"), ("みみずく", "Mimizuku"), ("低め", "low"), "みみずくです。低めの声で、じっくりお聞かせします。"
    ),
    "Female 5": SpeakerLabel(
        ("女声5", "Female 5"), ("めじろ", "Mejiro"), ("親しみ", "friendly"), "めじろです。となりでお話しするように、お伝えしますね。"
    ),
    "Female 6": SpeakerLabel(
        ("女声6", "Female 6"), ("かわせみ", "Kawasemi"), ("すっきり", "crisp"), "かわせみです。すっきりと、聞きやすくお話しします。"
    ),
    "Male 2": SpeakerLabel(
        ("男声2", "Male 2"), ("はやぶさ", "Hayabusa"), ("力強い", "strong"), "はやぶさです。大事なことを、力強くお伝えします。"
    ),
    "Male 3": SpeakerLabel(
        ("男声3", "Male 3"), ("かささぎ", "Kasasagi"), ("ほがらか", "cheerful"), "かささぎです。今日も、ほがらかにいきましょう。"
    ),
    "Male 4": SpeakerLabel(
        ("男声4", "Male 4"), ("くまたか", "Kumataka"), ("重厚", "deep"), "くまたかと申します。落ち着いた声で、お読みいたします。"
    ),
}
"""Of the natural voice's speakers, by the name that manifests, projects and clients have for them, which never changes. The words of
character come from one sentence each: median pitch 249, 222, 218, 304 and 105 Hz; Female 1 has most sound above 3 kHz, Female 3 least."""


STYLE_NAMES_JA = {"Neutral": "ノーマル", "Happy": "喜び", "Bashful": "照れ", "Angry": "怒り", "Sad": "悲しみ", "Whisper": "ささやき"}
STYLE_NAMES_JA |= {
    "Brisk and bright": "速め・明るめ",
    "Low and quiet": "低く静か",
    "Slow and careful": "ゆっくり丁寧",
    "Wide intonation": "抑揚大きめ",
}
STYLE_NAMES_JA |= {"Surprise": "驚き", "Fear": "恐れ", "Disgust": "嫌悪"}
"""Japanese names of styles that most voices have."""

USUAL_GREETING = "こんにちは。今日は、いい天気になりましたね。"


def find_greeting(speaker: str) -> str:
    """Return what a speaker says to be known; the same sentence for all that we do not know ourselves."""
    return SPEAKER_LABELS[speaker].greeting if speaker in SPEAKER_LABELS else USUAL_GREETING


def format_speaker(speaker: str) -> str:
    """Return the name of a speaker to remember, in the language of the user."""
    return localize(*SPEAKER_LABELS[speaker].name) if speaker in SPEAKER_LABELS else speaker


def describe_speaker(speaker: str) -> str:
    """Return the name of a speaker with a word of character, where one is chosen: ちどり（落ち着き）."""
    return localize(*SPEAKER_LABELS[speaker].introductions) if speaker in SPEAKER_LABELS else speaker


def format_usual_speaker(speaker: str) -> str:
    """Return the usual name of a speaker, as names of files have it and those know it who know the model."""
    return localize(*SPEAKER_LABELS[speaker].usual) if speaker in SPEAKER_LABELS else speaker


def list_speaker_names(speaker: str) -> tuple[str, ...]:
    """Return every name that means a speaker, in both languages, its own first."""
    if speaker not in SPEAKER_LABELS:
        return (speaker,)
    label = SPEAKER_LABELS[speaker]
    return tuple(dict.fromkeys((speaker, *label.usual, *label.name, *label.introductions)))


def format_style(style: str) -> str:
    """Return the displayed name of a style; names that most voices have are translated."""
    return localize(STYLE_NAMES_JA.get(style, style), "Neutral" if style == "ノーマル" else style)


def localize_voice_name(name: str) -> str:
    """Return the name of the voice that ships, with its one English word translated."""
    return localize(name.replace(" (starter)", "（付属）"), name)


def format_voice_name(manifest: VoiceManifest) -> str:
    """Return the name of a voice as the user reads it."""
    return localize_voice_name(manifest.name) if manifest.format == STARTER_NAME_WORD else manifest.name


def describe_starter_voice() -> str:
    """Return a sentence about the voice that ships."""
    return localize(
        "すぐに話し始める軽量な声です。Open JTalk の声をもとにしています。",
        "A light voice that starts at once, based on Open JTalk voices.",
    )


def describe_natural_voice() -> str:
    """Return a sentence about the natural voice, whose manifest holds it in English alone."""
    return localize(
        "自然な声です。アクセントは Koebako の読みのとおりに話します。Kokoro-82M の重みを使っています。",
        "A natural voice that keeps the accents of Koebako's reading, made from the weights of Kokoro-82M.",
    )


def format_licence_terms(folder: Path, licence: str) -> str:
    """Return the licence unchanged, below a summary for voices of the program only, so that nobody else can put words before a licence."""
    if get_language() != "ja" or not licence.strip() or not folder.is_relative_to(find_resources_dir()):
        return licence
    summary = _read_summary(folder)
    return f"{summary}\n\n――― 原文 ―――\n\n{licence}" if summary else licence


@cache
def _read_summary(folder: Path) -> str:
    try:
        return (folder / SUMMARY_NAME).read_text(encoding="utf-8").strip()
    except OSError:
        return ""


def describe_int8_quality(result: Int8Result | Int8Graph, *, may_change_lengths: bool = True) -> str:
    """Describe how close int8 comes and the speed it gained when the voice was added; `may_change_lengths` where it can change lengths."""
    parts = [
        localize(f"SN 比 {result.snr_db:.0f} dB", f"signal-to-noise ratio {result.snr_db:.0f} dB"),
        localize(f"スペクトルの差 {result.lsd_db:.2f} dB", f"spectral distance {result.lsd_db:.2f} dB"),
    ]
    if may_change_lengths:
        parts.append(localize(f"音の長さの一致率 {result.frames_equal:.1%}", f"{result.frames_equal:.1%} of durations unchanged"))
    if result.gain:
        parts.append(localize(f"約 {result.gain:.1f} 倍の速さ", f"about {result.gain:.1f} times as fast"))
    return localize("、", ", ").join(parts)


def describe_int8_graphs(manifest: VoiceManifest) -> list[tuple[str, str]]:
    """Return the name of each part with its facts, the slowest first; empty for a single-graph voice."""
    known = [name for name in reversed(INT8_GRAPH_NAMES) if name in manifest.graphs]
    return [(describe_graph_name(name), _describe_int8_graph(manifest, name)) for name in known]


def describe_graph_name(graph: str) -> str:
    """Return the user's name for a graph of a voice."""
    return {"prosody": localize("韻律", "Prosody"), "flow": localize("フロー", "Flow"), "decoder": localize("デコーダー", "Decoder")}[graph]


def explain_missing_int8(manifest: VoiceManifest) -> str:
    """Return the reason in a few words why a voice has no int8 graphs; empty where it has them."""
    if manifest.fast is not None:
        return ""
    if manifest.is_single_graph:
        return localize("一体型の声です", "a single graph")
    refused = next((name for name in reversed(INT8_GRAPH_NAMES) if name in manifest.refused), None)
    if refused is not None:
        return f"{describe_graph_name(refused)}: {explain_int8_rejection(manifest.refused[refused])}"
    if manifest.format == "starter":
        return localize("付属の声は「高精度」だけです", "the included voice is exact only")
    window = localize("「準備し直す」と確認できます", "prepare the voice again to find out")
    return choose_by_frontend(window, localize("voices renew で確認できます", "`voices renew` finds out"))


def _describe_int8_graph(manifest: VoiceManifest, name: str) -> str:
    fast = manifest.fast.graphs.get(name) if manifest.fast is not None else None
    if fast is not None:
        return describe_int8_quality(fast, may_change_lengths=name == "prosody") + ("" if fast.gain else _suggest_preparing_again())
    if name in manifest.refused:
        reason = explain_int8_rejection(manifest.refused[name])
        return localize(f"高精度のまま。{reason}", f"stays exact ({reason})")
    return localize("高精度のまま", "stays exact") + _suggest_preparing_again()


def _suggest_preparing_again() -> str:
    """Return the hint to prepare a voice again, for one that an earlier version prepared without keeping everything."""
    window = localize("（「準備し直す」と詳しく分かります）", " (prepare the voice again to learn more)")
    return choose_by_frontend(window, localize("（voices renew で詳しく分かります）", " (`voices renew` tells more)"))
