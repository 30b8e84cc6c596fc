"""Writes chunks to a sound file or, as WAV, to standard output; libsndfile enters here."""

from __future__ import annotations

import io
import os
import struct
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

import numpy as np
import soundfile

from app.adapters.files.part_file import PartFile, build_write_error
from app.adapters.resampler import RateConverter
from app.adapters.sound.sound_formats import SoundEncoding, SoundQuality, choose_encoding
from app.common.errors import InternalError, OutputFileError
from app.common.language import localize
from app.common.system_errors import describe_reason
from app.core.synthesis_types import AudioChunk, Float32

STDOUT_PATH = "-"
_FILE_BLOCK_FRAMES = 8192  # libsndfile's Vorbis encoder needs stack in proportion to a block
_UNKNOWN_LENGTH = 0xFFFFFFFF  # what readers of streamed WAV take for "until the end"; sox, ffmpeg and libsndfile do
_WAV_HEADER_BYTES = 44
_BYTES_PER_SAMPLE = {"PCM_16": 2, "PCM_24": 3, "FLOAT": 4}


def read_libsndfile_version() -> str:
    """Return which libsndfile writes the files."""
    return f"libsndfile {soundfile.__libsndfile_version__}"


class SoundFileSink:
    """An AudioSink that writes a file in constant memory; the file appears when it is complete, at `close`.

    Args:
        path: the suffix decides the format (.wav .flac .ogg .opus .mp3); `-` is WAV on standard output.
        sampling_rate: the voice's rate in Hz; chunks at other rates are converted.
        subtype: "16", "24" or "float" for .wav, "16" or "24" for .flac; 16 without it.
        channels: 2 writes the same sound to both.
        rate: of the file in Hz; without it the voice's, or the nearest above it that the format has.

    Raises OutputFileError for a place that cannot be written, InputError for options that the format does not have.
    """

    def __init__(
        self,
        path: str | Path,
        sampling_rate: int,
        subtype: str | None = None,
        channels: int = 1,
        rate: int | None = None,
        quality: SoundQuality = "standard",
        *,
        follows_link: bool = True,
    ) -> None:
        piped = str(path) == STDOUT_PATH
        encoding = choose_encoding("stdout.wav" if piped else str(path), sampling_rate, subtype, channels, rate, quality)
        self.rate = encoding.rate  # of the file in Hz
        self._channels = channels
        self._frames = 0
        self._converter = RateConverter(encoding.rate)
        self._output: _SoundPartFile | WavPipeWriter | None = (
            WavPipeWriter(encoding) if piped else _SoundPartFile(Path(path), encoding, follows_link=follows_link)
        )

    def write_chunk(self, chunk: AudioChunk) -> None:
        """Append the chunk, with samples outside [-1, 1] clipped; after an OutputFileError no file is left on the disk."""
        self._append_samples(self._converter.convert_rate(chunk.samples, chunk.sampling_rate))

    def finish_sound(self) -> int:
        """Write the rest of the sound and return the samples in each channel; only `close` may follow."""
        if self._output is not None:
            self._append_samples(self._converter.flush_filter())
        return self._frames

    def close(self) -> None:
        """Write the rest and name the file, unless it was aborted; raise OutputFileError without a sample, which in some formats looks like damage."""
        if self._output is not None:
            self._finish_output().close()

    def finish_as_part(self) -> PartFile:
        """Finish the file as `close` does, but leave its name to the caller; not for standard output. Raise the errors of `close`."""
        output = self._finish_output()
        assert isinstance(output, _SoundPartFile)
        return output.end_encoding()

    def abort_output(self) -> None:
        """Remove the written data; on standard output just stop. Do nothing after `close`."""
        output, self._output = self._output, None
        if isinstance(output, _SoundPartFile):
            output.discard()

    def _finish_output(self) -> _SoundPartFile | WavPipeWriter:
        """Return the output with all of the sound in it; nothing more is to be written."""
        frames, output = self.finish_sound(), self._output
        if not frames or output is None:
            self.abort_output()
            raise OutputFileError(
                localize("書き出す音声がありません。", "There is no audio to write."),
                localize("読み上げられる文字を入力してください。", "Enter text that can be read aloud."),
            )
        self._output = None
        return output

    def _append_samples(self, samples: Float32) -> None:
        if self._output is None:
            raise InternalError(localize("閉じたファイルには書き込めません。", "The file is already closed."))
        self._frames += len(samples)
        frames = np.repeat(np.clip(samples, -1, 1)[:, None], self._channels, axis=1)
        try:
            for start in range(0, len(frames), _FILE_BLOCK_FRAMES):
                self._output.write_frames(frames[start : start + _FILE_BLOCK_FRAMES])
        except BaseException:
            self._output = None
            raise


class _SoundPartFile:
    def __init__(self, path: Path, encoding: SoundEncoding, *, follows_link: bool) -> None:
        self._path = path
        self._part_file = PartFile(path, follows_link=follows_link)
        self._sound: soundfile.SoundFile | None = None
        form = encoding.rate, encoding.channels, encoding.subtype
        with self._discard_on_error():
            self._sound = soundfile.SoundFile(self._part_file, "w", *form, format=encoding.container, compression_level=encoding.level)

    def write_frames(self, frames: Float32) -> None:
        """Write float32 (N, channels) within [-1, 1]."""
        assert self._sound is not None
        with self._discard_on_error():
            self._sound.write(frames)

    def close(self) -> None:
        """End the encoding and give the file its name."""
        self.end_encoding().commit()

    def end_encoding(self) -> PartFile:
        """End the encoding and return the file without a name."""
        assert self._sound is not None
        with self._discard_on_error():
            self._sound.close()
        return self._part_file

    def discard(self) -> None:
        """End the encoding and remove the file."""
        with suppress(soundfile.SoundFileError):
            if self._sound is not None:
                self._sound.close()
        self._part_file.discard()

    @contextmanager
    def _discard_on_error(self) -> Iterator[None]:
        """Remove the file after an error, and raise the system's reason, which says more than libsndfile's."""
        try:
            try:
                yield
            except (soundfile.SoundFileError, AssertionError) as exc:  # it asserts that all frames were taken
                self._part_file.raise_write_error()
                raise build_write_error(self._path, exc) from exc
            self._part_file.raise_write_error()
        except BaseException:
            self.discard()
            raise


class WavPipeWriter:
    """WAV to a pipe, where each piece leaves at once: a header with unknown lengths, then samples. Where the output is a plain file after all, the lengths follow."""

    def __init__(self, encoding: SoundEncoding, out: BinaryIO | None = None) -> None:
        stream: BinaryIO | None = out or getattr(sys.stdout, "buffer", None)
        # A windowed program on Windows has no standard output.
        if stream is None:
            raise OutputFileError(
                localize("標準出力がありません。", "There is no standard output."),
                localize("ファイル名を指定してください。", "Specify a file instead."),
            )
        self._out = stream
        self._sound_encoding = encoding
        self._size = 0
        self._start = self._find_position()
        self._send_bytes(self._build_header(_UNKNOWN_LENGTH, _UNKNOWN_LENGTH))

    def write_frames(self, samples: Float32) -> None:
        """Write float32 (N, channels) within [-1, 1]."""
        encoded = io.BytesIO()
        form = self._sound_encoding
        with soundfile.SoundFile(encoded, "w", form.rate, form.channels, form.subtype, endian="LITTLE", format="RAW") as raw:
            raw.write(samples)
        self._size += encoded.tell()
        self._send_bytes(encoded.getvalue())

    def close(self) -> None:
        """Write the lengths if possible; the output itself stays open."""
        if self._start is None or self._find_position() != self._start + _WAV_HEADER_BYTES + self._size:
            # A pipe, or a file that somebody else writes to as well.
            return
        padding = self._size % 2
        self._send_bytes(bytes(padding))
        end = self._out.tell()
        self._out.seek(self._start)
        riff_size = _WAV_HEADER_BYTES - 8 + self._size + padding
        self._send_bytes(self._build_header(min(_UNKNOWN_LENGTH, riff_size), min(_UNKNOWN_LENGTH, self._size)))
        self._out.seek(end)

    def _build_header(self, riff_size: int, data_size: int) -> bytes:
        form = self._sound_encoding
        sample = _BYTES_PER_SAMPLE[form.subtype]
        kind = 3 if form.subtype == "FLOAT" else 1
        layout = (kind, form.channels, form.rate, form.rate * form.channels * sample, form.channels * sample, sample * 8)
        return struct.pack("<4sI4s4sIHHIIHH4sI", b"RIFF", riff_size, b"WAVE", b"fmt ", 16, *layout, b"data", data_size)

    def _find_position(self) -> int | None:
        return None if not self._out.seekable() or _is_append_only(self._out) else self._out.tell()

    def _send_bytes(self, data: bytes) -> None:
        try:
            self._out.write(data)
            self._out.flush()
        except (OSError, ValueError) as exc:
            # What a broken pipe left in the buffer would raise once more when the program ends.
            if self._out is getattr(sys.stdout, "buffer", None):
                nowhere = os.open(os.devnull, os.O_WRONLY)
                os.dup2(nowhere, self._out.fileno())
                os.close(nowhere)
            reason = describe_reason(exc)
            raise OutputFileError(
                localize(f"標準出力に書き出せません：{reason}。", f"Standard output could not be written: {reason}."),
                localize("出力を受け取るコマンドを確認してください。", "Check the command that reads it."),
            ) from exc


def _is_append_only(out: BinaryIO) -> bool:
    """Return whether the shell opened it with `>>`: what is written lands at the end, wherever one seeks."""
    if sys.platform == "win32":
        return False
    import fcntl

    try:
        return bool(fcntl.fcntl(out.fileno(), fcntl.F_GETFL) & os.O_APPEND)
    except io.UnsupportedOperation:  # in memory
        return False
