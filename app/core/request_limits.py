"""Bounds of every number a request carries, and the check against them; `app.core.delivery` declares those of a delivery."""

from dataclasses import fields

from app.common.errors import InputError
from app.common.language import localize
from app.core.delivery import Bounds, Delivery, DeliveryBounds
from app.core.synthesis_types import Overrides, SynthesisRequest

BOUNDS: dict[str, DeliveryBounds] = {item.name: item.metadata["bounds"] for item in fields(Delivery) if "bounds" in item.metadata}
"""Bounds of every number of a delivery, by the name that it has in projects, presets and bodies of `/v1`."""
PAUSE_BOUNDS = Bounds(0.0, 10.0, 0.3, "間の長さ（秒）", "pause (s)", 0.05)
# Words, morae and marks are counted from 0 on.
INDEX_BOUNDS = Bounds(0, 2**31 - 1, 0, "単語・モーラ・記号の番号", "number of a word, mora or mark", 1)
MORA_PITCH_BOUNDS = Bounds(-12.0, 12.0, 0.0, "モーラの音高（半音）", "pitch of a mora (semitones)", 0.5)
TONE_BOUNDS = Bounds(0, 1, 0, "高低", "tone", 1)
MAX_SHOWN_DIGITS = 20
MAX_SENTENCE_PHONES = 3000
"""Phones of one sentence. The longest that can be written (120 characters, each read カブシキガイシャ) has some 1,700;
memory grows with the square: 0.5 GB at 3,000, 2 GB at 9,000."""
PAUSE_MARKS = (",", ".", "!", "?", "'", "-")
SEED_BOUNDS = Bounds(0, 2**31 - 1, 0, "シード", "seed", 1)  # the highest seed is the largest number that a number field of the window holds


def check_value(bounds: Bounds, value: float) -> None:
    """Raise InputError when `value` is not a number within `bounds`."""
    # NaN is never within bounds, because both comparisons are false for it.
    if not bounds.low <= value <= bounds.high:
        # A whole number may be too large for a float, so it is shown by its first digits.
        digits = f"{value:g}" if isinstance(value, float) else str(value)[:MAX_SHOWN_DIGITS]
        raise InputError(
            localize(f"{bounds.ja}の値 {digits} は範囲外です。", f"The value {digits} for {bounds.en} is out of range."),
            localize(
                f"{bounds.low:.10g} から {bounds.high:.10g} までの数を指定してください。",
                f"Use a number from {bounds.low:.10g} to {bounds.high:.10g}.",
            ),
        )


def check_request(request: SynthesisRequest) -> None:
    """Raise InputError for the first parameter of a request that is out of range."""
    for name, bounds in BOUNDS.items():
        check_value(bounds, getattr(request, name))
    check_value(SEED_BOUNDS, request.seed)
    for mark, length_s in request.pauses.items():
        if mark not in PAUSE_MARKS:
            raise InputError(
                localize(f"記号「{mark}」の間の長さは変更できません。", f"The pause at “{mark}” cannot be set."),
                localize("使用できる記号: 、 。 ！ ？ ・ ' -", "Available marks: , . ! ? ' - (or 、 。 ！ ？ ・)"),
            )
        check_value(PAUSE_BOUNDS, length_s)
    _check_edits(request.overrides)


def check_phone_count(count: int) -> None:
    """Raise InputError for a sentence with more phones than any text has, because its words were given very long readings."""
    if count > MAX_SENTENCE_PHONES:
        raise InputError(
            localize(
                f"文の読みが長すぎます（{count:,} 音素）。", f"A sentence has {count:,} phones; the limit is {MAX_SENTENCE_PHONES:,}."
            ),
            localize("読みを短くするか、句点で文を分けてください。", "Shorten the readings of its words, or divide the sentence."),
        )


def _check_edits(edits: Overrides) -> None:
    """Check the indices and values of edits. A place that is missing in the line shows only when the line is read."""
    for reading in edits.readings:
        if not reading.surface:
            raise InputError(
                localize("読みを指定する単語が空です。", "A reading was given for an empty word."),
                localize("行の中の単語を指定してください。", "Use a word in the line."),
            )
    counted = [reading.occurrence for reading in edits.readings if reading.occurrence is not None]
    counted += [mora.mora for mora in edits.moras] + [phrase.mora for phrase in edits.phrases] + [pause.mark for pause in edits.pauses]
    for index in counted:
        check_value(INDEX_BOUNDS, index)
    values = [(TONE_BOUNDS, mora.tone) for mora in edits.moras] + [(MORA_PITCH_BOUNDS, mora.pitch) for mora in edits.moras]
    lengths_s = (*(mora.length_s for mora in edits.moras), *(pause.length_s for pause in edits.pauses))
    for bounds, value in (*values, *((PAUSE_BOUNDS, length_s) for length_s in lengths_s)):
        if value is not None:
            check_value(bounds, value)
