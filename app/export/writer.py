"""One sound file with what belongs beside it: all of it or nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from app.adapters.files.file_set import FileSet
from app.adapters.files.part_file import write_error
from app.adapters.sound.files import SoundFileSink
from app.core.types import AudioChunk
from app.errors import AppError
from app.export.settings import ExportSettings
from app.export.sidecars.formats import SIDECAR_FORMATS
from app.export.spoken import SpokenFile, SpokenLine, joined
from app.own_folder import make_folder


class FileWriter:
    """An audio sink for one planned file. Raises OutputFileError where it cannot be written, InputError for impossible settings.

    Args:
        rate: of the voice in Hz.
        gain_db: what loudness asks for.
    """

    def __init__(self, file: Path, settings: ExportSettings, rate: int, gain_db: float = 0.0) -> None:
        self._file, self._settings = file, settings
        self._gain = np.float32(10 ** (gain_db / 20))
        try:
            make_folder(file.parent)
        except OSError as exc:
            raise write_error(file, exc) from exc
        self._sink = SoundFileSink(file, rate, settings.subtype or None, settings.channels, settings.rate or None, settings.quality)

    def write(self, chunk: AudioChunk) -> None:
        """Appends a chunk; after OutputFileError nothing is left."""
        self._sink.write(chunk if self._gain == 1 else replace(chunk, samples=chunk.samples * self._gain))

    def close(self, lines: Sequence[SpokenLine], between: Callable[[], object] = lambda: None) -> tuple[SpokenFile, list[Path]]:
        """Gives the files their names as one, see `FileSet`; the sound last, so that a new one that is there has all that belongs to it.

        Args:
            between: called before each file.

        Returns:
            What was spoken, and the files beside it.
        """
        files, sidecars = FileSet(), list[Path]()
        try:
            spoken = SpokenFile(joined(lines), self._sink.rate, self._sink.finish())
            for path, text in self._texts(spoken) if spoken.samples else ():
                between()
                files.write(path, text.encode("utf-8", "replace"))
                sidecars.append(path)
            between()
            files.add(self._sink.hand_over())
            files.commit()
        except BaseException:
            files.discard()
            self.abort()
            raise
        return spoken, sidecars

    def abort(self) -> None:
        """Leaves nothing."""
        self._sink.abort()

    def _texts(self, spoken: SpokenFile) -> Iterator[tuple[Path, str]]:
        """What goes beside the sound; of a voice that reports no times, only what needs none."""
        for kind in self._settings.sidecars:
            form = SIDECAR_FORMATS[kind]
            text = form.write(spoken, self._settings.unit)
            if text is not None:
                yield self._file.with_name(self._file.stem + form.suffix), text


def is_for_one(error: AppError) -> bool:
    """Whether an error concerns its line alone; where a file cannot be written, the next ones could not either."""
    return error.family not in ("output_file", "internal")
