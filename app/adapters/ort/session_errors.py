"""What is said of a graph that does not open, and of a place that does not start."""

from __future__ import annotations

import re

from app.adapters.ort.backends import place_name
from app.errors import BackendError, VoiceError
from app.language import localized

LONGEST_REASON = 300  # letters; providers have been seen to write pages


def plain_words(exc: BaseException) -> str:
    """ONNX Runtime's words without the source files of its build machine, on one line that can be read."""
    words = " ".join(re.sub(r"\S*[\\/]\S*\.(?:cc|cpp|h)\S*\s*", "", str(exc)).split())
    return words if len(words) <= LONGEST_REASON else words[: LONGEST_REASON // 2] + " … " + words[-LONGEST_REASON // 2 :]


def not_opened(name: str, exc: Exception) -> VoiceError:
    """Not even the CPU opens the graph of this name."""
    return VoiceError(
        localized(f"音声モデルを開けません（{name}）。", f"The model cannot be opened ({name})."),
        localized(
            f"ファイルが壊れている可能性があります。詳細: {plain_words(exc)}", f"The file may be damaged. Details: {plain_words(exc)}"
        ),
    )


def not_run(name: str, place: str, exc: Exception) -> BackendError:
    """The graph of this name opened on a place and failed while it ran."""
    elsewhere = "" if place == "cpu" else localized("バックエンドを CPU に切り替えてお試しください。", "Try the CPU backend. ")
    return BackendError(
        localized(f"音声モデルの計算に失敗しました（{name}）。", f"The model failed to run ({name})."),
        elsewhere + localized(f"詳細: {plain_words(exc)}", f"Details: {plain_words(exc)}"),
    )


def stays_on_cpu(what: str, place: str, reason: str) -> str:
    """A graph runs on the CPU although a place was asked for, and nothing failed there."""
    return localized(
        f"{what}は {place_name(place)} ではなく CPU で動作します: {reason}",
        f"{what} runs on the CPU, not on {place_name(place)}: {reason}",
    )


def not_started(place: str, reason: str) -> BackendError:
    """A place runs nothing; the reason is in the hint."""
    return BackendError(localized(f"{place_name(place)} を起動できません。", f"{place_name(place)} could not start."), reason)
