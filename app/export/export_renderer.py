"""Speaks the lines of a planned file where their voices are open, into it or only to measure them; what cannot be read is silent.

A sound and its sidecars are written together, or not at all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.adapters.files.part_file import FileSet, build_write_error
from app.adapters.resampler import RateConverter
from app.adapters.sound.sound_file_sink import SoundFileSink
from app.adapters.speech_activity import record_at_stages
from app.common.errors import AppError, BackendError
from app.common.files.private_data_dir import make_private_folder
from app.common.language import localize
from app.core.script.script import CAST_FIELDS, Line, LineSettings, build_request, place_pauses
from app.core.sound.line_edits import move_overrides_to_text
from app.core.sound.line_reading import LineReading, read_line
from app.core.sound.line_sound import LineSound, SoundSpan
from app.core.sound.pipeline import synthesize_or_silence
from app.core.sound.stage_clock import OnStage, ignore_cancellation, ignore_stage
from app.core.synthesis_types import AudioChunk, Float32, ReadingOverride
from app.core.text.phone_ids import NO_INDEX, map_phones_to_moras
from app.core.text.sentence_splitting import split_sentences
from app.export.export_plan import PlannedFile
from app.export.export_settings import ExportSettings, TextEncoding
from app.export.loudness import LoudnessMeasurement, LoudnessMeter, LoudnessStage, WrittenLoudness
from app.export.safe_file_names import SpeakerNames
from app.export.sidecar_formats import (
    PAUSE_PHONE,
    SIDECAR_FORMATS,
    TIMELESS_SIDECARS,
    SpokenFile,
    SpokenLine,
    TimedMora,
    TimedText,
    join_lines,
)
from app.voices.installed_voices import find_id_by_name
from app.voices.prepared_voice import Voice, VoiceManifest
from app.voices.voice_card_data import read_card

if TYPE_CHECKING:
    from app.compose.speaker import Speaker

MAX_CREDIT_CHARACTERS = 1_000

_CODECS: dict[TextEncoding, str] = {"utf-8": "utf-8", "shift_jis": "cp932"}  # Windows means CP932 by Shift_JIS: it has ① and 髙


def format_credit(voice: Voice) -> str:
    """Return the voice, its makers, and the first paragraph of its licence."""
    name = voice.manifest.name
    creators = ", ".join(_read_creators(voice.path))
    licence = voice.manifest.licence.strip().split("\n\n")[0].replace("\n", " ")
    licence_text = licence if len(licence) <= MAX_CREDIT_CHARACTERS else licence[: MAX_CREDIT_CHARACTERS - 1] + "…"
    return " — ".join(text for text in (f"{name} ({creators})" if creators else name, licence_text) if text)


@lru_cache(maxsize=64)
def _read_creators(folder: Path) -> tuple[str, ...]:
    return read_card(folder).creators


class LineTimingCollector:
    """Takes every chunk of one line, spoken by someone under these names."""

    def __init__(self, line: Line, speaker: Speaker, names: SpeakerNames) -> None:
        self._line, self._speaker, self._names = line, speaker, names
        self._sound = LineSound(line.id)
        self._samples = 0
        self._bounds: dict[int, tuple[int, int]] = {}  # samples of each sentence

    def add_chunk(self, chunk: AudioChunk) -> None:
        self._sound.add_chunk(chunk)
        start, self._samples = self._samples, self._samples + len(chunk.samples)
        if not chunk.silence:
            self._bounds[chunk.sentence] = (self._bounds.get(chunk.sentence, (start, 0))[0], self._samples)

    def build_spoken_line(self) -> SpokenLine:
        line, voice, silent = self._line, self._speaker.voice, not self._bounds
        reading = self._read_line()
        contents = line.id, reading.extract_text(), "".join(mora.kana for mora in reading.moras), line.settings.seed
        speaker_names = voice.manifest.id, self._names.speaker, self._names.style
        settings, credit = _list_settings(line), "" if silent else format_credit(voice)
        spoken = SpokenLine(
            *contents, *speaker_names, settings, credit, 0.0, self._samples / self._rate, tuple(self._build_sentences(reading))
        )
        spoken = replace(spoken, is_silent=silent, character=self._names.character)
        if silent:
            return replace(spoken, phones=(TimedText(PAUSE_PHONE, 0.0, spoken.end_s),))
        times = self._sound.compute_spans(reading)
        if times is None or not times.moras:
            return spoken
        moras = self._build_moras(reading, times.moras)
        starts = [start for start in reading.phrases if start < len(moras)]
        groups = [moras[start:end] for start, end in zip(starts, [*starts[1:], len(moras)], strict=True)]
        phrases = tuple(TimedText("".join(mora.text for mora in group), group[0].start_s, group[-1].end_s) for group in groups)
        return replace(spoken, moras=moras, phrases=phrases, phones=tuple(self._collect_phones()))

    @property
    def _rate(self) -> int:
        return self._speaker.pipeline.voice.sampling_rate

    def _read_line(self) -> LineReading:
        line, pipeline = self._line, self._speaker.pipeline

        def read_text(text: str, readings: tuple[ReadingOverride, ...], emoji: bool, memos: bool, english: bool) -> LineReading:
            return read_line(text, readings, pipeline.g2p, pipeline.caches.phones, emoji=emoji, memos=memos, english=english)

        memos = line.settings.memos or pipeline.g2p.should_skip_memos
        emoji, english = pipeline.voice.emoji, pipeline.voice.architecture.should_read_english(line.settings)
        overrides = move_overrides_to_text(line.overrides, line.text, read_text, emoji=emoji, memos=memos, english=english)
        return read_text(line.text, overrides.readings, emoji, memos, english)

    def _build_sentences(self, reading: LineReading) -> list[TimedText]:
        split = split_sentences(self._line.text, self._speaker.pipeline.g2p.split_words, memos=reading.memos)
        texts = {sentence.index: reading.extract_text(sentence.start, sentence.start + len(sentence.text)).strip() for sentence in split}
        return [TimedText(texts.get(index, ""), span.start_s, span.end_s) for index, span in sorted(self._sound.sounding_spans.items())]

    def _build_moras(self, reading: LineReading, spans: Sequence[SoundSpan]) -> tuple[TimedMora, ...]:
        """Return the morae with the tones that were spoken, which edits may have changed."""
        tones: list[int] = []
        for _, (_, phones) in sorted(self._sound.sentences.items()):
            moras = map_phones_to_moras([item.phone for item in phones])
            by_mora = {mora: phone.tone for mora, phone in zip(moras, phones, strict=True)}  # that of its last phone
            tones += [tone for mora, tone in sorted(by_mora.items()) if mora != NO_INDEX]
        # A sentence with nothing to speak has no sound.
        if len(tones) != len(reading.moras):
            tones = [mora.tone for mora in reading.moras]
        ends = {index: end / self._rate for index, (_, end) in self._bounds.items()}
        return tuple(
            TimedMora(mora.kana, min(span.start_s, ends[mora.sentence]), min(span.end_s, ends[mora.sentence]), tone)
            for mora, span, tone in zip(reading.moras, spans, tones, strict=True)
            if mora.sentence in ends
        )

    def _collect_phones(self) -> list[TimedText]:
        """Collect the phones without a gap from 0 to the end, with a pause between sentences."""
        tiles: list[TimedText] = []
        end_s = 0.0
        for index, (start_s, phones) in sorted(self._sound.sentences.items()):
            tiles.append(TimedText(PAUSE_PHONE, end_s, start_s))
            end_s = self._bounds[index][1] / self._rate
            for phone, mora in zip(phones, map_phones_to_moras([phone.phone for phone in phones]), strict=True):
                name = PAUSE_PHONE if mora == NO_INDEX else phone.phone
                tiles.append(TimedText(name, min(start_s + phone.start_s, end_s), min(start_s + phone.end_s, end_s)))
            tiles[-1] = replace(tiles[-1], end_s=end_s)
        return [*tiles, TimedText(PAUSE_PHONE, end_s, self._samples / self._rate)]


def _list_settings(line: Line) -> dict[str, Any]:
    settings = {name: value for name, value in asdict(line.settings).items() if name not in CAST_FIELDS}
    return settings | {"pauses": dict(line.settings.pauses)}


FindIds = Callable[[Line, "Speaker"], tuple[int, int]]  # numbers of the speaker and the style of a line
RecordedSound = tuple[Float32, int]  # samples `(T,)` of a line that was spoken before, and their rate in Hz


@dataclass(frozen=True, slots=True)
class WrittenFile:
    """A file that is there now; it has a loudness if it was brought to one."""

    file: Path
    spoken: SpokenFile
    sidecars: tuple[Path, ...]
    loudness: WrittenLoudness | None = None


class PlannedFileWriter:
    """An audio sink for one planned file, from the rate of the voice; without a gain in dB the sound stays as it is. Raises as `SoundFileSink`."""

    def __init__(self, item: PlannedFile, settings: ExportSettings, rate: int, gain_db: float | None = None) -> None:
        file = item.file
        self._item, self._settings = item, settings
        self.loudness: WrittenLoudness | None = None  # of the written sound, after `close`; None without a gain
        try:
            make_private_folder(file.parent)
        except OSError as exc:
            raise build_write_error(file, exc) from exc
        form = settings.subtype or None, settings.channels, settings.rate or None, settings.quality
        self._sink = SoundFileSink(file, rate, *form, follows_link=False)
        self._stage = None if gain_db is None else LoudnessStage(self._sink.rate, gain_db)

    def write_chunk(self, chunk: AudioChunk) -> None:
        """Append a chunk; after an OutputFileError no file is left."""
        if self._stage is None:
            self._sink.write_chunk(chunk)
        else:
            self._write_samples(self._stage.convert_samples(chunk.samples, chunk.sampling_rate))

    def close(self, lines: Sequence[SpokenLine], before_file: Callable[[], object] = lambda: None) -> tuple[SpokenFile, list[Path]]:
        """Give the files their names as one, the sound last; return what was spoken, and the sidecars."""
        files, sidecars = FileSet(self._item.replaced_names), list[Path]()
        try:
            if self._stage is not None:
                self._write_samples(self._stage.finish_sound())
                self.loudness = self._stage.measure_loudness(self._settings.channels)
            spoken = SpokenFile(join_lines(lines), self._sink.rate, self._sink.finish_sound())
            for kind in self._settings.sidecars if spoken.samples else ():
                form = SIDECAR_FORMATS[kind]
                # A voice that reports no times gets only those that need none.
                if (text := form.format_text(spoken, self._settings.unit)) is not None:
                    before_file()
                    path = self._item.file.with_name(self._item.file.stem + form.suffix)
                    files.write_file(path, text.encode(_CODECS[self._settings.encoding], "replace"))
                    sidecars.append(path)
            before_file()
            files.add_part(self._sink.finish_as_part())
            files.commit()
        except BaseException:
            files.discard()
            self.abort_output()
            raise
        return spoken, sidecars

    def abort_output(self) -> None:
        """Remove all files."""
        self._sink.abort_output()

    def _write_samples(self, samples: Float32) -> None:
        self._sink.write_chunk(AudioChunk(samples, self._sink.rate, "file", 0))


def write_finished_files(item: PlannedFile, sound: bytes, sidecars: Mapping[str, bytes]) -> list[Path]:
    """Write a sound that was made elsewhere and its sidecars, by suffix, as one; return the sidecars' paths. Raise OutputFileError."""
    file = item.file
    try:
        make_private_folder(file.parent)
    except OSError as exc:
        raise build_write_error(file, exc) from exc
    files = FileSet(item.replaced_names)
    contents = {file.with_name(file.stem + suffix): content for suffix, content in sidecars.items()}
    try:
        for path, content in (contents | {file: sound}).items():
            files.write_file(path, content)
        files.commit()
    except BaseException:
        files.discard()
        raise
    return list(contents)


class BatchEndError(BackendError):
    """An error after which no other file of the batch could be made either."""


def is_single_line_error(error: AppError) -> bool:
    """Return whether an error concerns its line alone; where a file cannot be written, the next ones could not either."""
    return error.family not in ("output_file", "internal") and not isinstance(error, BatchEndError)


@dataclass(frozen=True, slots=True)
class FileRenderer:
    """Has voices speak."""

    open_speaker: Callable[[str], Speaker]  # the open voice of an id, as lines have it. Raises VoiceError.
    find_ids: FindIds  # raises VoiceError for names that the voice does not have
    report_stage: OnStage = ignore_stage
    is_cancelled: Callable[[], bool] = ignore_cancellation  # looked at before every stage
    before_disk_wait: Callable[[], object] = lambda: None  # called before each time that a disk is waited for

    def write_file(self, item: PlannedFile, settings: ExportSettings, gain_db: float | None = None) -> WrittenFile | None:
        """Write the sound, with the limiter after a gain, and its sidecars; leave no file if cancelled (None) or after an AppError."""
        rate = self.open_speaker(item.lines[0].settings.voice).pipeline.voice.sampling_rate
        lines: list[SpokenLine] = []
        return self._write_chunks(PlannedFileWriter(item, settings, rate, gain_db), item, self._render_chunks(item, lines), lines)

    def _write_chunks(
        self, writer: PlannedFileWriter, item: PlannedFile, chunks: Iterable[AudioChunk], lines: list[SpokenLine]
    ) -> WrittenFile | None:
        try:
            for chunk in chunks:
                writer.write_chunk(chunk)
            if self.is_cancelled():
                writer.abort_output()
                return None
        except BaseException:
            writer.abort_output()
            raise
        spoken, sidecars = writer.close(lines, self.before_disk_wait)
        return WrittenFile(item.file, spoken, tuple(sidecars), writer.loudness)

    def write_recorded_file(self, item: PlannedFile, settings: ExportSettings, recorded: RecordedSound) -> WrittenFile | None:
        """Write the recorded sound of the one line of a file, and its sidecars; return None and leave no file if cancelled.

        The times come from speaking the line again, and are left out if that is impossible or gives a sound of another length.
        """
        samples, rate = recorded
        spoken = self._describe_recorded(item, settings, len(samples) / rate, 0.5 / rate)
        if self.is_cancelled():
            return None
        chunk = AudioChunk(samples, rate, f"file {spoken.id}", 0, last=True)
        return self._write_chunks(PlannedFileWriter(item, settings, rate), item, [chunk], [spoken])

    def measure_file(self, item: PlannedFile) -> LoudnessMeasurement | None:
        """Measure the sound without writing it, at the rate of its first voice whatever that of the file; return None if cancelled."""
        rate = self.open_speaker(item.lines[0].settings.voice).pipeline.voice.sampling_rate
        converter, meter = RateConverter(rate), LoudnessMeter(rate)
        for chunk in self._render_chunks(item, []):
            meter.add_samples(converter.convert_rate(chunk.samples, chunk.sampling_rate))
        meter.add_samples(converter.flush_filter())
        return None if self.is_cancelled() else meter.finish_measurement()

    def _describe_recorded(self, item: PlannedFile, settings: ExportSettings, length_s: float, tolerance_s: float) -> SpokenLine:
        rendered: list[SpokenLine] = []
        if not set(settings.sidecars) <= TIMELESS_SIDECARS:
            # The voice may be gone, or no longer speak the line as it did; what was heard is wanted all the same.
            with suppress(AppError):
                for _chunk in self._render_chunks(item, rendered):
                    pass
        if rendered and abs(rendered[0].end_s - length_s) < tolerance_s:
            return rendered[0]
        return describe_untimed_line(item.lines[0], length_s, "".join(item.characters))

    def _render_chunks(self, item: PlannedFile, spoken: list[SpokenLine]) -> Iterator[AudioChunk]:
        names_by_line = item.characters or [""] * len(item.lines)
        for line, placed, character in zip(item.lines, place_pauses(item.lines), names_by_line, strict=True):
            speaker = self.open_speaker(line.settings.voice)
            speaker_id, style_id = self.find_ids(line, speaker)
            request = replace(build_request(placed), id=f"file {line.id}", speaker=speaker_id, style=style_id)
            voice = speaker.pipeline.voice
            names = SpeakerNames("", voice.speakers.get(speaker_id, ""), voice.styles.get(style_id, ""), character)
            times = LineTimingCollector(line, speaker, names)
            # Refining waits meanwhile, or a voice would get other graphs between two files of one export.
            for chunk in synthesize_or_silence(speaker.pipeline, request, record_at_stages(self.report_stage), self.is_cancelled):
                times.add_chunk(chunk)
                yield chunk
            if self.is_cancelled():
                return
            spoken.append(times.build_spoken_line())


def describe_untimed_line(line: Line, length_s: float, character: str) -> SpokenLine:
    """Return a line as it sounds for so many seconds, without the times of its parts and without its voice."""
    from app.compose.text_front_end import open_g2p

    settings = line.settings
    # Readings change neither ruby nor notes, and one that is no kana would be an error.
    reading = read_line(line.text, (), open_g2p(), memos=settings.memos)
    names = settings.voice, settings.speaker, settings.style
    return SpokenLine(
        line.id, reading.extract_text(), "", settings.seed, *names, _list_settings(line), "", 0.0, length_s, character=character
    )


def find_ids_by_name(line: Line, speaker: Speaker) -> tuple[int, int]:
    """Return the ids of a line's speaker and style by name or number; raise VoiceError for unknown ones."""
    return find_manifest_ids(line.settings, speaker.voice.manifest)


def find_manifest_ids(settings: LineSettings, manifest: VoiceManifest) -> tuple[int, int]:
    """Return the ids of a speaker and a style in a voice that need not be open; raise VoiceError for names that it does not have."""
    return (
        find_id_by_name(settings.speaker or None, manifest.speakers, localize("話者", "speaker")),
        find_id_by_name(settings.style or None, manifest.styles, localize("スタイル", "style")),
    )
