"""Every error a user may see: one sentence that says what is wrong, one hint that says what to do next, in the language of the user.

Foreign exceptions are converted where they enter the program (the adapters), so that everything above deals with this family only. The
command line maps a family to its exit code, the window shows it as a banner.
"""

from collections.abc import Sequence


class AppError(Exception):
    """Base of all errors meant for the user, with a hint to what can be done next, which may be empty."""

    family = "internal"  # the word used in `--json` output
    exit_code = 70  # of the command line
    ways: tuple[str, ...] = ()  # options of the same command that would decide what to do; empty where there is nothing to decide

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return self.message

    def convert_to_data(self) -> dict[str, str]:
        return {"family": self.family, "message": self.message, "hint": self.hint}


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


class UserDecisionRequiredError(VoiceError):
    """There is nothing wrong with the voice: the user has to say what is to be done with it; `ways` are options of `voices add`."""

    def __init__(self, message: str, hint: str = "", ways: Sequence[str] = ()) -> None:
        super().__init__(message, hint)
        self.ways = tuple(ways)


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
