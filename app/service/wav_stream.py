"""Sound as bytes: WAV with its true size from the first byte on, and WAVs joined. 16 bits, unless a format has its own."""

import base64
import binascii
import io
import string
import struct
from collections.abc import Iterable, Iterator

import numpy as np

from app.adapters.resampler import RateConverter
from app.adapters.sound.sound_codec import decode_wave
from app.adapters.sound.sound_formats import HIGHEST_RATE, LOWEST_RATE
from app.common.language import localize
from app.core.synthesis_types import Float32
from app.service.request_fields import RefusalError, create_refusal
from app.service.service_job import AnonymousFile

MAX_JOINED_WAVS = 1000
MAX_JOINED_S = 3600.0
MAX_JOINED_SAMPLES = 1 << 27  # samples of all channels: 256 MB, an hour at 36 kHz
_BASE64_PIECE_BYTES = 1 << 20
_WHITESPACE_BYTES = string.whitespace.encode()
_WAV_HEADER = struct.Struct("<4sI4s4sIHHIIHH4sI")


def pack_wav_header(samples: int, rate: int, channels: int) -> bytes:
    """Return the header of a WAV of so many samples a channel."""
    size = samples * channels * 2
    layout = (1, channels, rate, rate * channels * 2, channels * 2, 16)
    return _WAV_HEADER.pack(b"RIFF", 36 + size, b"WAVE", b"fmt ", 16, *layout, b"data", size)


def convert_to_pcm(samples: Float32, channels: int = 1) -> bytes:
    """Return samples as little-endian 16 bits; values outside [-1, 1] are clipped."""
    integers = np.clip(np.round(samples * np.float32(32767)), -32768, 32767).astype("<i2")
    return (np.repeat(integers, channels) if channels > 1 else integers).tobytes()


def resample_pieces(pieces: Iterable[Float32], rate: int, new_rate: int) -> Iterator[Float32]:
    """Yield the pieces at another rate: exactly `count_resampled` of all their samples in total, however the filter rounds."""
    if rate == new_rate:
        yield from pieces
        return
    converter, input_count, output_count = RateConverter(new_rate), 0, 0
    for samples in pieces:
        input_count += len(samples)
        out = converter.convert_rate(samples, rate)[: count_resampled(input_count, rate, new_rate) - output_count]
        output_count += len(out)
        if len(out):
            yield out
    missing_count = count_resampled(input_count, rate, new_rate) - output_count
    last_samples = converter.flush_filter()[:missing_count]
    yield np.concatenate([last_samples, np.zeros(missing_count - len(last_samples), np.float32)])


def count_resampled(samples: int, rate: int, new_rate: int) -> int:
    """Return the number of samples that a sound has at another rate in Hz."""
    return round(samples * new_rate / rate)


def join_wavs(encoded: object) -> AnonymousFile:
    """Join Base64 WAVs at the highest of their rates, in stereo if one of them is; return a file positioned at its end.

    Each is decoded twice, so that only one is in memory at a time. Raises RefusalError, and OutputFileError where the disk is full.
    """
    if not isinstance(encoded, list) or len(encoded) > MAX_JOINED_WAVS or not all(isinstance(item, str) for item in encoded):
        raise create_refusal(422, "base64 の WAV のリストを送ってください。", "Send a list of WAV files in base64.")
    if not encoded:
        raise RefusalError(422, {"detail": localize("wavファイルが含まれていません", "There is no WAV file in the list.")})
    forms = _read_formats(encoded)
    rate, channels = max(rate for _, rate, _ in forms), max(channels for _, _, channels in forms)
    total = sum(count_resampled(samples, wav_rate, rate) for samples, wav_rate, _ in forms)
    # One short sound at a high rate would blow up all the others.
    if total * channels > MAX_JOINED_SAMPLES:
        raise _create_too_long_refusal()
    file = AnonymousFile()
    file.write(pack_wav_header(total, rate, channels))
    for item in encoded:
        for piece in _convert_samples(*_decode_wav(item), rate, channels):
            file.write(piece)
            file.raise_write_error()
    return file


def _read_formats(encoded: list[str]) -> list[tuple[int, int, int]]:
    """Return samples a channel, rate and channels of each WAV."""
    formats, total_s = [], 0.0
    for item in encoded:
        samples, rate = _decode_wav(item)
        total_s += len(samples) / rate
        if total_s > MAX_JOINED_S:
            raise _create_too_long_refusal()
        formats.append((len(samples), rate, samples.shape[1]))
    return formats


def _create_too_long_refusal() -> RefusalError:
    return create_refusal(422, "つないだ音声が長すぎます。", "The joined sound would be too long.")


def _convert_samples(samples: Float32, rate: int, new_rate: int, channels: int) -> Iterator[bytes]:
    """Yield a sound (N, 1 or 2) with so many channels at another rate."""
    cuts = range(rate, len(samples), rate)
    columns = (resample_pieces(np.split(column, cuts), rate, new_rate) for column in samples.T)
    for pieces in zip(*columns, strict=True):
        block = np.stack(pieces, axis=1)
        yield convert_to_pcm((np.repeat(block, channels, axis=1) if block.shape[1] < channels else block).reshape(-1))


def _decode_wav(item: str) -> tuple[Float32, int]:
    try:
        samples, rate = decode_wave(_decode_base64(item), round(MAX_JOINED_S * HIGHEST_RATE))
    except (ValueError, binascii.Error) as exc:
        raise create_refusal(422, "WAV として読み込めません。", "An item is not a WAV file.") from exc
    if not LOWEST_RATE <= rate <= HIGHEST_RATE or samples.shape[1] > 2:
        raise create_refusal(422, "対応していない WAV です。", "A WAV file has a rate or channels that are not supported.")
    return samples, rate


def _decode_base64(item: str) -> bytes:
    """Decode Base64, in lines as MIME has it or in one, piece by piece: other threads get their turn, and little is there twice."""
    content, undecoded = io.BytesIO(), b""
    for start in range(0, len(item), _BASE64_PIECE_BYTES):
        text = undecoded + item[start : start + _BASE64_PIECE_BYTES].encode("ascii").translate(None, _WHITESPACE_BYTES)
        decodable_length = len(text) // 4 * 4
        content.write(base64.b64decode(text[:decodable_length], validate=True))
        undecoded = text[decodable_length:]
    if undecoded:
        raise ValueError("no Base64")
    return content.getvalue()
