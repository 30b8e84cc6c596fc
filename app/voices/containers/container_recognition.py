"""Recognises by content what a file is: a container that may hold a voice, or something else, which is refused by its name."""

from collections.abc import Collection
from pathlib import Path
from typing import Literal

from app.voices.containers.sbv2_archive import ZSTD_MAGIC
from app.voices.containers.unsupported_formats import UnsupportedFormatError
from app.voices.untrusted.regular_file import build_unreadable_error, open_regular_file
from app.voices.untrusted.style_vectors import NPY_MAGIC

ContainerFormat = Literal["onnx", "safetensors", "sbv2", "zip"]

RECOGNITION_BYTES = 4096
PICKLE_SEARCH_BYTES = 4 << 20  # names of tensors come first
ZIP_MAGICS = (b"PK\x03\x04", b"PK\x05\x06")
PICKLE_MAGICS = (b"\x80\x02", b"\x80\x03", b"\x80\x04", b"\x80\x05")
SAFETENSORS_HEADER_LENGTHS = range(2, 1 << 32)  # a longer header means another file that happens to have a brace at this place
FOREIGN_MAGICS: tuple[tuple[int, bytes, str], ...] = (
    (0, NPY_MAGIC, "vectors"),
    (8, b"WEBP", "picture"),
    *((0, magic, "picture") for magic in (b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"BM", b"\x1a\x45\xdf\xa3", b"8BPS")),
    *((0, magic, "sound") for magic in (b"RIFF", b"ID3", b"fLaC", b"OggS", b"FORM", b"\xff\xfb", b"\xff\xf3", b"\xff\xf1")),
    (4, b"ftyp", "sound"),
    *((0, magic, "archive") for magic in (b"7z\xbc\xaf", b"Rar!", b"\x1f\x8b", b"\xfd7zXZ", b"BZh")),
    (2, b"-lh", "archive"),
    (257, b"ustar", "archive"),
    *((0, version + b"\x03\x04", "gpt_sovits") for version in (b"03", b"04", b"05", b"06")),  # a zip, its PK written over
    *((0, magic, "document") for magic in (b"%PDF", b"\xd0\xcf\x11\xe0", b"SQLite format 3", b"{\\rtf")),
    *((0, magic, "program") for magic in (b"MZ", b"\x7fELF", b"\xcf\xfa\xed\xfe", b"\xca\xfe\xba\xbe")),
    *((0, magic, "index") for magic in (b"IxF", b"IwFl", b"IvF", b"IwPQ", b"IxPQ")),
    *((0, magic, "other_model") for magic in (b"GGUF", b"\x89HDF")),
    *((4, magic, "other_model") for magic in (b"ORTM", b"TFL3")),
    (0, b"[GLOBAL]", "hts"),
    (0, b"version https://git-lfs", "pointer"),
)
PICKLE_MARKERS = (  # names inside a pickle, which is searched and never loaded
    (b"enc_p.style_proj", "checkpoint"),
    (b"model_g.enc_p", "piper"),
    (b"subband_conv_post", "mb_istft"),
    (b"multistream_conv_post", "mb_istft"),
    (b"ar_text_embedding", "gpt_sovits"),
    (b"cond_module.", "irodori"),
    (b"quantizer.in_proj", "dacvae"),
    (b"lora_A.", "lora"),
    (b"bert_encoder", "kokoro"),
    (b"enc_p.emb_phone", "rvc"),
    (b"enc_p.ssl_proj", "gpt_sovits"),
    (b"ssl_proj", "gpt_sovits"),
    (b"discriminators.", "discriminator"),
    (b"deberta", "bert"),
    (b"enc_p.bert_proj", "bert_vits2"),
    (b"enc_p.emb.weight", "vits"),
)
FOREIGN_TENSOR_PREFIXES = (
    ("discriminators.", "discriminator"),
    ("pre_out_conv_1.", "discriminator"),
    ("base_model.model.", "lora"),
    ("cond_module.", "irodori"),
    ("quantizer.in_proj.", "dacvae"),
    ("bert_encoder.", "kokoro"),
    ("dec.subband_conv_post.", "mb_istft"),
    ("dec.multistream_conv_post.", "mb_istft"),
    ("deberta.", "bert"),
    ("bert.", "bert"),
    ("enc_p.emb_phone", "rvc"),
    ("enc_p.ssl_proj", "gpt_sovits"),
    ("enc_p.bert_proj", "bert_vits2"),
    ("enc_p.emb.", "vits"),
    ("text_encoder.embed_tokens", "vits"),
    ("speaker_embedding", "irodori"),
)


def recognise_container(path: Path) -> ContainerFormat:
    """Return the container format of a file; raise UnsupportedFormatError if the file is something else, VoiceError if it cannot be read."""
    start = read_first_bytes(path, RECOGNITION_BYTES)
    if start.startswith(ZSTD_MAGIC):
        return "sbv2"
    if start.startswith(ZIP_MAGICS):
        return "zip"
    if start[8:9] == b"{" and int.from_bytes(start[:8], "little") in SAFETENSORS_HEADER_LENGTHS:
        return "safetensors"
    kind = recognise_foreign_start(start)
    if kind == "pickle":
        kind = guess_pickle_kind(read_first_bytes(path, PICKLE_SEARCH_BYTES))
    if kind:
        raise UnsupportedFormatError("zeros" if kind == "empty" and start else kind, path.name)
    return "onnx"


def read_first_bytes(path: Path, max_bytes: int) -> bytes:
    """Return the first bytes of a file; raise VoiceError if it cannot be read."""
    with open_regular_file(path) as file:
        try:
            return file.read(max_bytes)
        except OSError as exc:
            raise build_unreadable_error(path, exc) from exc


def recognise_foreign_start(start: bytes) -> str | None:
    """Return the kind of foreign file (a key of UNSUPPORTED_FORMATS) that begins with these bytes; None when it may be a voice."""
    if not any(start):
        return "empty"
    for position, magic, kind in FOREIGN_MAGICS:
        if start.startswith(magic, position):
            return kind
    if start.startswith(PICKLE_MAGICS):
        return "pickle"
    return _recognise_text_kind(start) if _is_text(start) else None


def guess_pickle_kind(content: bytes) -> str:
    """Return the most likely kind of a pickle, by names that occur in it."""
    return next((kind for name, kind in PICKLE_MARKERS if name in content), "pickle")


def _is_text(start: bytes) -> bool:
    """Return whether bytes are UTF-8, Shift_JIS or UTF-16 text, without control characters but those of text."""
    if start.startswith((b"\xff\xfe", b"\xfe\xff")):
        return True
    if any(byte < 32 and byte not in b"\t\n\r\f\x1b" for byte in start):
        return False
    for encoding in ("utf-8", "cp932"):
        try:
            start.decode(encoding)
            return True
        except UnicodeDecodeError as exc:
            # The last character may be cut.
            if exc.start >= len(start) - 4:
                return True
    return False


def _recognise_text_kind(start: bytes) -> str:
    text = start.removeprefix(b"\xef\xbb\xbf").lstrip()
    if text[:15].lower().startswith((b"<!doctype html", b"<html")):
        return "web_page"
    if text.startswith((b"{", b"[")):
        return "project" if b'"talk"' in text or b'"audioKeys"' in text else "settings"
    return "text"


def require_voice_tensors(names: Collection[str], name: str) -> None:
    """Raise UnsupportedFormatError unless the weights are those of an SBV2 voice."""
    if "enc_p.style_proj.weight" in names and "dec.conv_pre.weight" in names:
        return
    kinds = (kind for start, kind in FOREIGN_TENSOR_PREFIXES if any(item.startswith(start) for item in names))
    raise UnsupportedFormatError(next(kinds, "other_weights"), name)
