"""The error that stops a voice whose licence has not been accepted."""

from __future__ import annotations

from app.common.errors import AppError
from app.common.language import localize


class LicenceNotAcceptedError(AppError):
    """The user has not accepted the licence of a voice yet.

    Attributes:
        text: the licence.
    """

    family = "voice"
    exit_code = 3

    def __init__(self, voice_id: str, name: str, text: str) -> None:
        super().__init__(
            localize(f"声「{name}」の利用規約にまだ同意していません。", f"The licence of the voice “{name}” has not been accepted yet."),
            localize("右の声のカードで確認できます。", "You can read it on the voice card on the right."),
        )
        self.voice_id, self.name, self.text = voice_id, name, text
