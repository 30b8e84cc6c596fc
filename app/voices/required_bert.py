"""The BERT that voices require: the one that nearly all share, and the error where one is missing. The window starts without the rest."""

from app.common.errors import VoiceError

SBV2_BERT_ID = "deberta-v2-large-japanese-char-wwm"  # every public SBV2 voice was trained with this model
STANDARD_DOWNLOAD_MB = 653
STANDARD_LICENCE = (
    "CC BY-SA 4.0 (https://creativecommons.org/licenses/by-sa/4.0/). "
    "ku-nlp/deberta-v2-large-japanese-char-wwm, Language Media Processing Lab, Kyoto University; converted by Koebako."
)
STANDARD_LICENCE_JA = (  # shown only: what is written next to a BERT is the one above
    "CC BY-SA 4.0（https://creativecommons.org/licenses/by-sa/4.0/）。"
    "ku-nlp/deberta-v2-large-japanese-char-wwm（京都大学 言語メディア研究室）を Koebako 用に変換したもの。"
)


class MissingBertError(VoiceError):
    """The BERT of a voice, by its id, is not installed."""

    def __init__(self, bert: str, message: str, hint: str) -> None:
        super().__init__(message, hint)
        self.bert = bert
