"""Labels as HTS, Julius and lip-sync tools read them: start and end in units of 100 ns, and a phone, a line each."""

from __future__ import annotations

from app.export.spoken import SpokenFile

UNITS_PER_S = 10_000_000
_NAMES = {"q": "cl"}  # as Open JTalk names it


def lab_text(spoken: SpokenFile) -> str | None:
    """From 0 to the end of the sound without a gap, `pau` at both ends; None for a voice that reports no times."""
    if not spoken.timed:
        return None
    last = len(spoken.phones) - 1
    edges = [round(phone.start_s * UNITS_PER_S) for phone in spoken.phones] + [round(spoken.samples * UNITS_PER_S / spoken.rate)]
    return "".join(
        f"{start} {end} {_NAMES.get(phone.text, phone.text)}\n"
        for index, (phone, start, end) in enumerate(zip(spoken.phones, edges, edges[1:], strict=False))
        if start < end or index in (0, last)  # a phone that a voice gave no time has no place in it
    )
