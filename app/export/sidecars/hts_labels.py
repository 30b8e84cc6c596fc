"""Labels as HTS, Julius and lip-sync tools read them: start and end in units of 100 ns, and a phone, a line each."""

from __future__ import annotations

from app.export.timeline import SpokenFile

HTS_UNITS_PER_S = 10_000_000
# As Open JTalk names it.
_HTS_PHONE_NAMES = {"q": "cl"}


def format_hts_labels(spoken: SpokenFile) -> str | None:
    """From 0 to the end of the sound without a gap, `pau` at both ends; None for a voice that reports no times."""
    if not spoken.has_phone_times:
        return None
    last = len(spoken.phones) - 1
    edges = [round(phone.start_s * HTS_UNITS_PER_S) for phone in spoken.phones] + [round(spoken.samples * HTS_UNITS_PER_S / spoken.rate)]
    return "".join(
        f"{start} {end} {_HTS_PHONE_NAMES.get(phone.text, phone.text)}\n"
        for index, (phone, start, end) in enumerate(zip(spoken.phones, edges, edges[1:], strict=False))
        # A phone that the voice gave no time has no place in the labels.
        if start < end or index in (0, last)
    )
