"""One sound file with what belongs beside it: all of it or nothing."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from app.adapters.files.file_set import FileSet
from app.adapters.files.part_file import build_write_error
from app.adapters.sound.sound_file_sink import SoundFileSink
from app.common.errors import AppError, BackendError
from app.common.files.private_data_dir import make_private_folder
from app.core.synthesis_types import AudioChunk, Float32
from app.export.export_plan import PlannedFile
from app.export.export_settings import ExportSettings, TextEncoding
from app.export.loudness import LoudnessStage, WrittenLoudness
from app.export.sidecar_formats import SIDECAR_FORMATS, SpokenFile, SpokenLine, join_lines

_CODECS: dict[TextEncoding, str] = {"utf-8": "utf-8", "shift_jis": "cp932"}  # Windows means CP932 by Shift_JIS: it has ① and 髙


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
        """Give the files their names as one, the sound last; return what was spoken, and the files beside it."""
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
    """Write a sound that was made elsewhere as one with sidecars by suffix; return the files beside it. Raise OutputFileError."""
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
