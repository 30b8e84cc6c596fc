"""WAV to a pipe, such as standard output: each piece leaves at once, before the length of the whole is known."""

from __future__ import annotations

import io
import os
import struct
import sys
from typing import BinaryIO

import soundfile

from app.adapters.sound.sound_formats import SoundEncoding
from app.common.errors import OutputFileError
from app.common.language import localize
from app.common.system_errors import describe_reason
from app.core.synthesis_types import Float32

# What readers of streamed WAV take for "until the end"; sox, ffmpeg and libsndfile do.
_UNKNOWN_LENGTH = 0xFFFFFFFF
_WAV_HEADER_BYTES = 44
_BYTES_PER_SAMPLE = {"PCM_16": 2, "PCM_24": 3, "FLOAT": 4}


class WavPipeWriter:
    """A header with unknown lengths, then samples. Where the output is a plain file after all, the lengths follow."""

    def __init__(self, encoding: SoundEncoding, out: BinaryIO | None = None) -> None:
        found = out or getattr(sys.stdout, "buffer", None)
        # A windowed program on Windows has no standard output.
        if found is None:
            raise OutputFileError(
                localize("標準出力がありません。", "There is no standard output."),
                localize("ファイル名を指定してください。", "Specify a file instead."),
            )
        self._out: BinaryIO = found
        self._encoding = encoding
        self._size = 0
        self._start = self._find_position()
        self._send_bytes(self._build_header(_UNKNOWN_LENGTH, _UNKNOWN_LENGTH))

    def write_frames(self, samples: Float32) -> None:
        """Write float32 (N, channels) within [-1, 1]."""
        encoded = io.BytesIO()
        form = self._encoding
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
        whole = _WAV_HEADER_BYTES - 8 + self._size + padding
        self._send_bytes(self._build_header(min(_UNKNOWN_LENGTH, whole), min(_UNKNOWN_LENGTH, self._size)))
        self._out.seek(end)

    def _build_header(self, riff_size: int, data_size: int) -> bytes:
        form = self._encoding
        sample = _BYTES_PER_SAMPLE[form.subtype]
        kind = 3 if form.subtype == "FLOAT" else 1
        layout = (kind, form.channels, form.rate, form.rate * form.channels * sample, form.channels * sample, sample * 8)
        return struct.pack("<4sI4s4sIHHIIHH4sI", b"RIFF", riff_size, b"WAVE", b"fmt ", 16, *layout, b"data", data_size)

    def _find_position(self) -> int | None:
        if not self._out.seekable() or _is_append_only(self._out):
            return None
        return self._out.tell()

    def _send_bytes(self, data: bytes) -> None:
        try:
            self._out.write(data)
            self._out.flush()
        except (OSError, ValueError) as exc:
            self._detach_broken_stdout()
            raise OutputFileError(
                localize(
                    f"標準出力に書き出せません：{describe_reason(exc)}。", f"Standard output could not be written: {describe_reason(exc)}."
                ),
                localize("出力を受け取るコマンドを確認してください。", "Check the command that reads it."),
            ) from exc

    def _detach_broken_stdout(self) -> None:
        # What a broken pipe left in the buffer would raise once more when the program ends.
        if self._out is getattr(sys.stdout, "buffer", None):
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, self._out.fileno())
            os.close(nowhere)


def _is_append_only(out: BinaryIO) -> bool:
    """Return whether the shell opened it with `>>`: what is written lands at the end, wherever one seeks."""
    if sys.platform == "win32":
        return False
    import fcntl

    try:
        return bool(fcntl.fcntl(out.fileno(), fcntl.F_GETFL) & os.O_APPEND)
    except io.UnsupportedOperation:  # in memory
        return False
