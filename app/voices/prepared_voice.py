"""The prepared voice, ready to be opened: a folder with `voice.json`, its graphs and `style_vectors.npy`. This page is its contract.

A graph's inputs are bound by declared name, dtype and rank (a leading axis of 1 is added or dropped as declared). A graph may
leave out any input; one it declares and we do not know is refused. T = symbols with blanks, F = frames, W = frames of a window.

    prosody   x_tst, tones, language int[T] · sid int[1] · bert f32[1024,T] · style_vec f32[256] · sdp_ratio f32[]
              sdp_noise f32[2,T] (seeded, already times noise_scale_w)
              → logw f32[T] · m_p f32[C,T] · logs_p f32[C,T]
              multilingual voices: ja_bert takes the features, bert and en_bert zeros
              Nanairo voices: duration_symbol_type_ids int[T], see `app.core.text.phone_ids`
    flow      z_p f32[C,F] · sid · style_vec · frame_position f32[F] (frame centre in its phone, 0..1)
              phone_frames f32[F] (frames of that phone) · length_scale f32[] (1 / speed)
              f0 f32[2F] (Hz, the melody asked for) · melody_weight f32[] (0 the voice's own accents, 1 the melody's)
              melody_intonation f32[] (scales how far the voice's own pitch leaves its mean)
              questions f32[Q,2F] (a row a question, 1 where its last mora and the mark are; at least one row)
              energy_offset f32[] (is added to the voice's own energy wherever it sounds)
              pitch_offset f32[2,F] (semitones that are added to the pitch of each half of a frame, drawn by hand)
              → z f32[D,F] · pitch f32[2,F] (Hz, what is spoken; voices that take f0)    (the graph may be missing: then z = z_p)
    decoder   z f32[D,W] · sid · style_vec · noise f32[W·hop] (seeded, standard normal)
              first, last int[1] (frames of the window that are wanted)
              → audio f32[W·hop], or of a decoder that takes `first` and `last` f32[(last−first)·hop]
    whole     the public SBV2 graph, for a voice whose seams were not found ("opaque")

    frames = ceil(exp(logw) · length_scale)      `durations` "ceil", the SBV2 rule: every symbol gets at least one frame
    frames = max(1, round(exp(logw) · length_scale))   `durations` "round", Kokoro's rule
    frames = differences of round(cumsum(…))     `durations` "carry": rounding carries over, exp(logw) → 0 gives no frame
    z_p    = repeat(m_p, frames) + noise · exp(repeat(logs_p, frames)) · noise_scale
"""

from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, get_args

from app.common.errors import VoiceError
from app.common.files.untrusted_json import (
    parse_object,
    require_file_name,
    require_int,
    require_number,
    sanitise_long_text,
    sanitise_short_text,
)
from app.common.files.whole_files import read_bounded, write_json
from app.common.language import localize
from app.common.progress import Report
from app.core.script.script import choose_known_name
from app.core.sound.voice_traits import ARCHITECTURES, SBV2_ARCHITECTURE, DurationRule, VoiceTraits
from app.core.synthesis_types import BOUNDS, Float32
from app.voices.int8_result import Int8Rejection, Int8Result, parse_int8_rejections, parse_int8_result
from app.voices.untrusted import voice_limits
from app.voices.untrusted.style_vectors import STYLE_VECTORS_NAME, read_style_vectors

MANIFEST_NAME = "voice.json"
STYLE_WEIGHT_BOUNDS = BOUNDS["style_weight"]
MAX_MANIFEST_ID = (1 << 31) - 1  # what the narrowest graphs take
MANIFEST_VERSION = 1
FIRST_RECIPE, MAX_RECIPE = 1, 1 << 16
LOWEST_MEDIAN_HZ, HIGHEST_MEDIAN_HZ = 40.0, 800.0


@dataclass(frozen=True, slots=True)
class NamedId:
    """A speaker or a style: the id the graphs know and the name people know."""

    id: int
    name: str


@dataclass(frozen=True, slots=True)
class VoiceManifest:
    """The content of `voice.json`."""

    id: str  # stable name of the voice in the library
    name: str  # shown to people
    format: str  # container it came from, `starter` for the voice we ship
    bert: str  # id of the BERT it was trained with; "" for a voice that needs none
    sampling_rate: int  # sampling_rate, hop_length: Hz, and samples a frame
    hop_length: int
    speakers: tuple[NamedId, ...]
    styles: tuple[NamedId, ...]
    graphs: dict[str, str]  # file name by graph name: prosody, flow, decoder or whole
    durations: DurationRule = "ceil"  # how frames are made from log durations
    margin_frames: int = 16  # context the decoder needs on each side of a window
    # Windows grow as fast as keeps sound ahead of a machine that decodes in a third of real time.
    windows: tuple[int, ...] = (16, 40, 104, 128)  # frames per decoder window, in order; the last one repeats
    multilingual: bool = False
    add_blank: bool = True
    licence: str = ""
    description: str = ""
    fast: Int8Result | None = None  # a faster way to speak, where there is one
    # By name, graphs that have no part in it; in neither are those that an earlier version prepared.
    refused: dict[str, Int8Rejection] = field(default_factory=dict)
    emoji: bool = False  # the voice speaks emoji, which only Nanairo's table of symbols holds
    architecture: str = SBV2_ARCHITECTURE.name  # the kind of voice, see `app.core.sound.voice_traits`
    median_f0: tuple[float, ...] = ()  # the median pitch in Hz of each row of the style vectors, for voices that take a melody
    # Not in the repr, of which exports make the name of a voice: voices without these keep theirs.
    # The number of the way in which it was prepared; that of this version is the `recipe` of its architecture.
    recipe: int = field(default=FIRST_RECIPE, repr=False)
    # The highest weight at which every style was measured to have a sound.
    max_style_weight: float = field(default=STYLE_WEIGHT_BOUNDS.high, repr=False)

    @property
    def is_single_graph(self) -> bool:
        return "whole" in self.graphs

    @property
    def blends(self) -> list[str]:
        """Return the names of those styles that are between speakers."""
        return ARCHITECTURES[self.architecture].list_blends([style.name for style in self.styles])

    def choose_speaker(self, speaker: str, style: str) -> str:
        """Return the name of the speaker who is heard with those of a line; empty for a blend, which is none of them."""
        return "" if style in self.blends else choose_known_name(speaker, [item.name for item in self.speakers])

    @property
    def is_outdated(self) -> bool:
        """Return whether it was prepared by an older recipe than this version's."""
        return self.recipe < ARCHITECTURES[self.architecture].recipe

    @property
    def is_from_newer_version(self) -> bool:
        """Return whether it was prepared by a newer recipe than this version's, which could only make it worse."""
        return self.recipe > ARCHITECTURES[self.architecture].recipe


def read_manifest(folder: Path) -> VoiceManifest:
    """Return the manifest in `folder/voice.json`; raise VoiceError with what is wrong if it cannot be used."""
    path = folder / MANIFEST_NAME
    try:
        manifest = parse_manifest(parse_object(read_bounded(path, voice_limits.MAX_MANIFEST_BYTES)))
        for name in (*manifest.graphs.values(), *map_int8_files(manifest).values()):
            # Only here: the manifest of an unprepared voice names the file that it came in.
            require_file_name(name)
        return manifest
    except FileNotFoundError as exc:
        raise VoiceError(
            localize(f"声のファイルが見つかりません: {path}", f"{MANIFEST_NAME} is missing: {folder}"),
            localize("Koebako を再インストールするか、声をもう一度追加してください。", "Reinstall Koebako, or add the voice again."),
        ) from exc
    except (OSError, ArithmeticError, ValueError, KeyError, TypeError, AttributeError) as exc:
        raise VoiceError(
            localize(f"声の情報が壊れています: {path}", f"The description of this voice is damaged: {path}"),
            localize("声をもう一度追加してください。", "Add the voice again."),
        ) from exc


def write_manifest(manifest: VoiceManifest, folder: Path) -> None:
    """Write `folder/voice.json` at once, with letters of a file name that are no text replaced; raise OSError if the disk refuses it."""
    write_json(folder / MANIFEST_NAME, convert_manifest_to_json(manifest), errors="replace")


def convert_manifest_to_json(manifest: VoiceManifest) -> dict[str, Any]:
    """Return the manifest as the values that `voice.json` holds."""
    data = {"manifest_version": MANIFEST_VERSION} | asdict(manifest)
    # Versions that do not know these fields refuse them, and most voices need neither.
    for name, usual in (("recipe", FIRST_RECIPE), ("max_style_weight", STYLE_WEIGHT_BOUNDS.high)):
        if data[name] == usual:
            del data[name]
    return data


def parse_manifest(data: dict[str, Any]) -> VoiceManifest:
    """Return the manifest that the data of `voice.json` hold; raise ValueError, KeyError, TypeError or AttributeError if they hold none."""
    values = dict(data)
    if values.pop("manifest_version", MANIFEST_VERSION) != MANIFEST_VERSION:
        raise ValueError("another version")
    for key in ("speakers", "styles"):
        values[key] = tuple(NamedId(require_int(item["id"], 0, MAX_MANIFEST_ID), sanitise_short_text(item["name"])) for item in values[key])
    for key in values.keys() & {"id", "name", "format", "bert", "durations"}:
        # Voices come from anywhere, and control characters would disturb a terminal.
        values[key] = sanitise_short_text(values[key])
    for key in values.keys() & {"licence", "description"}:
        values[key] = sanitise_long_text(values[key])
    values["sampling_rate"] = require_int(values["sampling_rate"], 1, voice_limits.MAX_SAMPLING_RATE_HZ)
    values["hop_length"] = require_int(values["hop_length"], 1, voice_limits.MAX_HOP_SAMPLES)
    if "margin_frames" in values:
        values["margin_frames"] = require_int(values["margin_frames"], 0, voice_limits.MAX_DECODE_WINDOW_FRAMES)
    if "windows" in values:
        values["windows"] = tuple(require_int(size, 1, voice_limits.MAX_DECODE_WINDOW_FRAMES) for size in values["windows"])
    values["graphs"] = {str(name): str(file) for name, file in values["graphs"].items()}
    decoder = values.pop("decoder_int8", None)  # before there was more of that
    if decoder is not None:
        values["fast"] = {"graphs": {"decoder": decoder}, "snr_db": decoder["snr_db"], "lsd_db": decoder["lsd_db"]}
    if values.get("fast") is not None:
        values["fast"] = parse_int8_result(values["fast"])
    values["refused"] = parse_int8_rejections(values.get("refused", {}))
    values["median_f0"] = tuple(require_number(pitch) for pitch in values.get("median_f0", ()))
    values["recipe"] = require_int(values.get("recipe", FIRST_RECIPE), FIRST_RECIPE, MAX_RECIPE)
    if "max_style_weight" in values:
        values["max_style_weight"] = require_number(values["max_style_weight"])
    manifest = VoiceManifest(**values)
    _check_manifest(manifest)
    return manifest


def map_int8_files(manifest: VoiceManifest) -> dict[str, str]:
    """Return each int8 file by the name of the graph that it stands for."""
    return {name: graph.file for name, graph in manifest.fast.graphs.items()} if manifest.fast is not None else {}


def _check_manifest(manifest: VoiceManifest) -> None:
    right = (
        manifest.id and manifest.name,
        0 < len(manifest.windows) <= voice_limits.MAX_DECODE_WINDOWS,
        max(len(manifest.licence), len(manifest.description)) <= voice_limits.MAX_TERMS_LENGTH,
        isinstance(manifest.multilingual, bool) and isinstance(manifest.add_blank, bool),
        manifest.durations in get_args(DurationRule),
        set(manifest.graphs) in ({"whole"}, {"prosody", "decoder"}, {"prosody", "flow", "decoder"}),
        manifest.speakers and manifest.styles,
        manifest.architecture in ARCHITECTURES,
        # One graph takes the features of a BERT and no melody.
        not manifest.is_single_graph or (manifest.bert and manifest.architecture == SBV2_ARCHITECTURE.name),
        STYLE_WEIGHT_BOUNDS.default <= manifest.max_style_weight <= STYLE_WEIGHT_BOUNDS.high,
        all(LOWEST_MEDIAN_HZ <= pitch <= HIGHEST_MEDIAN_HZ for pitch in manifest.median_f0),
    )
    if not all(right):
        raise ValueError("out of range")


GraphSources = dict[str, Path | bytes]


@dataclass(frozen=True, slots=True)
class Voice:
    """One voice, read from the folder or file `path`; style vectors are float32 (styles, 256), graphs files or serialised models by name."""

    manifest: VoiceManifest
    style_vectors: Float32
    graphs: GraphSources
    path: Path

    def build_traits(self) -> VoiceTraits:
        """Build the traits of the voice that the pipeline needs."""
        info = self.manifest
        return VoiceTraits(
            id=info.id,
            name=info.name,
            bert=info.bert,
            sampling_rate=info.sampling_rate,
            hop_length=info.hop_length,
            speakers={item.id: item.name for item in info.speakers},
            styles={item.id: item.name for item in info.styles},
            style_vectors=self.style_vectors,
            durations=info.durations,
            margin_frames=info.margin_frames,
            windows=info.windows,
            multilingual=info.multilingual,
            add_blank=info.add_blank,
            emoji=info.emoji,
            architecture=ARCHITECTURES[info.architecture],
            median_f0=info.median_f0,
            max_style_weight=info.max_style_weight,
        )


def read_prepared_voice(folder: Path) -> Voice:
    """Return the voice in a prepared folder; raise VoiceError with the part that is missing or damaged."""
    manifest = read_manifest(folder)
    graphs: GraphSources = {}
    for name, file_name in manifest.graphs.items():
        if not (folder / file_name).is_file():
            raise VoiceError(
                localize(
                    f"声「{manifest.name}」のファイル {file_name} がありません。",
                    f"The file {file_name} of the voice “{manifest.name}” is missing.",
                ),
                localize("Koebako を再インストールするか、声をもう一度追加してください。", "Reinstall Koebako, or add the voice again."),
            )
        graphs[name] = folder / file_name
    voice = Voice(manifest, read_style_vectors(folder / STYLE_VECTORS_NAME), graphs, folder)
    check_voice_vectors(voice)
    return voice


def check_voice_vectors(voice: Voice) -> None:
    """Raise VoiceError if styles and vectors do not fit each other."""
    try:
        voice.build_traits()
    except ValueError as exc:
        raise VoiceError(
            localize(
                f"声「{voice.manifest.name}」のスタイルの数が一致しません。",
                f"The voice “{voice.manifest.name}” has a different number of styles and style vectors.",
            ),
            localize("声をもう一度ダウンロードしてください。", "Download the voice again."),
        ) from exc


@dataclass(frozen=True, slots=True)
class PreparationResult:
    """The result of preparing a voice."""

    manifest: VoiceManifest
    max_abs_diff: float | None  # of a sample from the source; None where there is no graph to compare with (weights, opaque voices)
    reason: str | None  # why the voice stays in one graph ("opaque"), in the language of the user; None when it does not


PrepareVoice = Callable[[Path, Path, Report], PreparationResult]  # writes the prepared voice of a source into an empty folder
