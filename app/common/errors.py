"""Every error a user may see: one sentence that says what is wrong, one hint that says what to do next.

Foreign exceptions are converted where they enter the program (the adapters), so that everything above deals
with this family only. The command line maps a family to its exit code, the window shows it as a banner.
Both texts are already in the language of the user (see `app.common.language`).
"""

from __future__ import annotations


class AppError(Exception):
    """Base of all errors meant for the user.

    Attributes:
        message: what happened, one sentence.
        hint: what the user can do next; may be empty.
        family: the word used in `--json` output.
        exit_code: exit status of the command line.
        ways: options of the same command that would decide what to do; empty where there is nothing to decide.
    """

    family = "internal"
    exit_code = 70
    ways: tuple[str, ...] = ()

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return self.message


class InputError(AppError):
    """Text, parameter or option that cannot be used as given."""

    family = "input"
    exit_code = 2


class NothingToReadError(InputError):
    """A text without a sound in it. A line alone is refused so; where it is one of several it is silent, see `app.core.sound.pipeline`."""


class VoiceError(AppError):
    """A voice, style, speaker or BERT that is missing, broken or not of a supported kind."""

    family = "voice"
    exit_code = 3


class BackendError(AppError):
    """ONNX Runtime could not create or run a session on the requested backend."""

    family = "backend"
    exit_code = 4


class AudioDeviceError(AppError):
    """No usable audio device, or it went away."""

    family = "audio_device"
    exit_code = 5


class DownloadError(AppError):
    """A download failed, stopped or brought wrong bytes."""

    family = "download"
    exit_code = 6


class OutputFileError(AppError):
    """A file could not be written."""

    family = "output_file"
    exit_code = 7


class InternalError(AppError):
    """A fault of the program itself."""
