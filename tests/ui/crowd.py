"""What a window may have to show at worst: voices, jobs, lines and an error, none of which need a file."""

from pathlib import Path
from typing import Any

from app.common.errors import VoiceError
from app.core.script.script import Line, LineSettings, Script
from app.ui.tasks.process_task import TaskProgress, TaskState
from app.ui.voices.catalog_voice import CatalogVoice
from app.voices.prepared_voice import NamedId, VoiceManifest
from app.voices.required_bert import SBV2_BERT_ID
from app.voices.voice_card_data import SpeakerCard, StyleCard, VoiceCardData, VoiceSample

LONG_NAME = "とても長い名前の声 〜夕焼けの丘で歌うやさしいお姉さん（改訂版・第二稿）〜 feat. Extraordinarily Long Singer Name"
LONG_FILE = "G_" + "very_long_file_name_" * 5 + ".safetensors"
LONG_ADDRESS = "https://example.com/some-person/some-very-long-repository-name/resolve/main/" + "long/" * 30 + "G_100000.safetensors"
SPLIT = {"prosody": "prosody.onnx", "flow": "flow.onnx", "decoder": "decoder.onnx"}

JOBS: tuple[tuple[str, TaskState, dict[str, Any]], ...] = (
    ("mao.aivmx", TaskState.RUNNING, {"advance": TaskProgress("downloading", 42, 110_000_000, 262_000_000, 5_300_000.0, 29.0)}),
    (LONG_ADDRESS, TaskState.FAILED, {"error": VoiceError("サーバーがつながりません。" * 3, "もう一度試してください。"), "log": ["…"]}),
    ("kohaku.zip", TaskState.ASKING, {"ways": tuple(f"--checkpoint=G_{step}_{'long_' * step}.safetensors" for step in range(5))}),
    ("nise.aivmx", TaskState.WAITING, {}),
    ("luna.aivmx", TaskState.DONE, {}),
    ("rin.aivmx", TaskState.RUNNING, {"advance": TaskProgress("cutting", 0)}),
)


def crowd(shipped: tuple[CatalogVoice, ...]) -> tuple[CatalogVoice, ...]:
    """An ordinary voice, one with too much of everything, one in one graph, ours, and those of AivisSpeech."""
    samples = (VoiceSample("media/a.wav", "こんにちは"), VoiceSample("media/b.wav", "さようなら"))
    plain = VoiceCardData("e756b8e4", "1.2.0", creators=("Aivis Project",), source_name="mao.aivmx", max_abs_diff=3.1e-6)
    speakers = (SpeakerCard(0, styles=(StyleCard(0, samples=samples),)),)
    full = VoiceCardData(
        version="1.0.0-beta.12", creators=tuple(f"作者 {number}" for number in range(9)), source_name=LONG_FILE, speakers=speakers
    )
    theirs = (f"声 {number}" for number in range(6))
    return (
        _voice("plain", "まお", plain, styles=6),
        _voice("long", LONG_NAME, full, styles=40, speakers=15, description="説明がとても長い声です。" * 12, has_bert=False),
        _voice("opaque", "Opaque", VoiceCardData(opaque_reason="no seams"), graphs={"whole": "whole.onnx"}),
        *shipped,
        *(_voice(name, name, VoiceCardData(), place="aivisspeech") for name in theirs),
    )


def _voice(
    name_id: str,
    name: str,
    card: VoiceCardData,
    *,
    styles: int = 1,
    speakers: int = 1,
    description: str = "",
    graphs: dict[str, str] = SPLIT,
    place: Any = "own",
    has_bert: bool = True,
) -> CatalogVoice:
    ways = tuple(NamedId(number, f"とても嬉しい気持ち {number}") for number in range(styles))
    people = tuple(NamedId(number, f"話者 {number}") for number in range(speakers))
    manifest = VoiceManifest(
        name_id, name, "aivmx", SBV2_BERT_ID, 44_100, 512, people, ways, graphs, licence="CC0", description=description
    )
    return CatalogVoice(name_id, manifest, Path("/nowhere") / name_id, place, card, 262_000_000, has_bert=has_bert)


def script(*texts: str, **settings: Any) -> Script:
    """Lines with these texts, called by their number from 0 on."""
    return Script(tuple(Line(text, LineSettings(**settings), id=str(number)) for number, text in enumerate(texts)))


def broken() -> VoiceError:
    """An error with much behind it."""
    error = VoiceError("「花子」を開けません。", "ファイルが壊れています。もう一度追加してください。")
    error.__cause__ = ValueError("protobuf parsing failed\n" * 6)
    return error
