"""WAV to a pipe, such as standard output: each piece leaves at once, before the length of the whole is known."""

from __future__ import annotations

import io
import os
import struct
import sys
from typing import BinaryIO

import soundfile

from app.adapters.sound.formats import Encoding
from app.core.types import Float32
from app.errors import OutputFileError
from app.language import localized
from app.system_errors import reason_of

_UNKNOWN = 0xFFFFFFFF  # what readers of streamed WAV take for "until the end"; sox, ffmpeg and libsndfile do
_HEADER_BYTES = 44
_BYTES = {"PCM_16": 2, "PCM_24": 3, "FLOAT": 4}


class WavPipe:
    """A header with unknown lengths, then samples. Where the output is a plain file after all, the lengths follow."""

    def __init__(self, encoding: Encoding, out: BinaryIO | None = None) -> None:
        found = out or getattr(sys.stdout, "buffer", None)
        if found is None:  # a windowed program on Windows has no standard output
            raise OutputFileError(
                localized("標準出力がありません。", "There is no standard output."),
                localized("ファイル名を指定してください。", "Specify a file instead."),
            )
        self._out: BinaryIO = found
        self._encoding = encoding
        self._size = 0
        self._start = self._position()
        self._send(self._header(_UNKNOWN, _UNKNOWN))

    def write(self, samples: Float32) -> None:
        """Float32 (N, channels) within [-1, 1]."""
        encoded = io.BytesIO()
        form = self._encoding
        with soundfile.SoundFile(encoded, "w", form.rate, form.channels, form.subtype, endian="LITTLE", format="RAW") as raw:
            raw.write(samples)
        self._size += encoded.tell()
        self._send(encoded.getvalue())

    def close(self) -> None:
        """Writes the lengths where that is possible; the output itself stays open."""
        if self._start is None or self._position() != self._start + _HEADER_BYTES + self._size:
            return  # a pipe, or a file that somebody else writes to as well
        padding = self._size % 2
        self._send(bytes(padding))
        end = self._out.tell()
        self._out.seek(self._start)
        whole = _HEADER_BYTES - 8 + self._size + padding
        self._send(self._header(min(_UNKNOWN, whole), min(_UNKNOWN, self._size)))
        self._out.seek(end)

    def _header(self, riff_size: int, data_size: int) -> bytes:
        form = self._encoding
        sample = _BYTES[form.subtype]
        kind = 3 if form.subtype == "FLOAT" else 1
        layout = (kind, form.channels, form.rate, form.rate * form.channels * sample, form.channels * sample, sample * 8)
        return struct.pack("<4sI4s4sIHHIIHH4sI", b"RIFF", riff_size, b"WAVE", b"fmt ", 16, *layout, b"data", data_size)

    def _position(self) -> int | None:
        if not self._out.seekable() or _only_grows(self._out):
            return None
        return self._out.tell()

    def _send(self, data: bytes) -> None:
        try:
            self._out.write(data)
            self._out.flush()
        except (OSError, ValueError) as exc:
            self._leave()
            raise OutputFileError(
                localized(f"標準出力に書き出せません：{reason_of(exc)}。", f"Standard output could not be written: {reason_of(exc)}."),
                localized("出力を受け取るコマンドを確認してください。", "Check the command that reads it."),
            ) from exc

    def _leave(self) -> None:
        # What a broken pipe left in the buffer would raise once more when the program ends.
        if self._out is getattr(sys.stdout, "buffer", None):
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, self._out.fileno())
            os.close(nowhere)


def _only_grows(out: BinaryIO) -> bool:
    """Whether the shell opened it with `>>`: what is written lands at the end, wherever one seeks."""
    if sys.platform == "win32":
        return False
    import fcntl

    try:
        return bool(fcntl.fcntl(out.fileno(), fcntl.F_GETFL) & os.O_APPEND)
    except io.UnsupportedOperation:  # in memory
        return False
