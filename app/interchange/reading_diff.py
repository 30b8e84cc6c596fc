"""Accents, readings, and hand-set pitches and lengths of an imported script as edits: only what differs from how the front end reads a line."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from difflib import SequenceMatcher
from itertools import accumulate, pairwise

from app.common.errors import AppError
from app.core.script.script import Line
from app.core.sound.line_edits import ReadLine, find_occurrences, may_toggle_phrase
from app.core.sound.line_reading import LineReading
from app.core.synthesis_types import MoraOverride, Overrides, PauseOverride, PhraseOverride, ReadingOverride
from app.core.text.pronunciation import compute_phrase_heights, find_mora_phones, split_moras
from app.interchange.imported_script import ImportedPhrase, ImportedScript, LossReport

MAX_COMPARED_PAIRS = 40_000  # the product of morae between two pauses is limited; a line that has more keeps its own reading
MoraPhones = tuple[tuple[str, ...], ...]
IndexRange = tuple[int, int]


def apply_spoken_phrases(imported: ImportedScript, read_line: ReadLine) -> ImportedScript:
    """Return the script with `spoken` as overrides of its lines; lines whose reading cannot be obtained keep their own, and are reported.

    Args:
        read_line: reads a line; it is called once or twice for each.
    """
    losses, lines = LossReport(), []
    for line in imported.project.script.lines:
        phrases = imported.phrases_by_line.get(line.id, ())
        overrides = _build_edits(line, phrases, read_line, losses) if phrases else line.overrides
        lines.append(replace(line, overrides=overrides))
    script = replace(imported.project.script, lines=tuple(lines))
    return ImportedScript(replace(imported.project, script=script), (*imported.losses, *losses.build_sentences()))


def _build_edits(line: Line, phrases: Sequence[ImportedPhrase], read_line: ReadLine, losses: LossReport) -> Overrides:
    memos = line.settings.memos
    theirs = _convert_to_phones([kana for phrase in phrases for mora in phrase.moras for kana in split_moras(mora)])
    try:
        reading = read_line(line.text, (), False, memos, False)
        readings = _find_reading_edits(reading, phrases, theirs)
        if readings:
            reading = read_line(line.text, readings, False, memos, False)
    except AppError:
        readings = None
    if readings is None or _convert_to_phones([mora.kana for mora in reading.moras]) != theirs:
        losses.add_lines("テキストと合わない読みとアクセント", "readings and accents that do not fit the text")
        return Overrides()
    ends = list(accumulate(len(split_moras("".join(phrase.moras))) for phrase in phrases))
    tones, begins = _find_accent_edits(reading, phrases, ends)
    moras = _add_mora_edits(tones, phrases)
    pauses = _find_pause_edits(reading, phrases, ends, losses)
    overrides = Overrides(readings, moras, pauses, begins)
    return overrides if overrides == Overrides() else replace(overrides, text=line.text, memos=reading.memos)


def _convert_to_phones(kana: Sequence[str]) -> MoraPhones:
    phones: list[tuple[str, ...]] = []
    vowel = ""
    for mora in kana:
        phones.append(find_mora_phones(mora, vowel))
        vowel = phones[-1][-1] if phones[-1] and phones[-1][-1] in "aiueo" else vowel
    return tuple(phones)


def _find_reading_edits(reading: LineReading, phrases: Sequence[ImportedPhrase], theirs: MoraPhones) -> tuple[ReadingOverride, ...] | None:
    """Find the readings that words must get; return None where they cannot be determined."""
    ours = _convert_to_phones([mora.kana for mora in reading.moras])
    if ours == theirs:
        return ()
    kana = [mora for phrase in phrases for phrase_mora in phrase.moras for mora in split_moras(phrase_mora)]
    edits: list[ReadingOverride] = []
    for our_range, their_range in _match_stretches(reading, phrases, len(theirs)):
        if ours[slice(*our_range)] == theirs[slice(*their_range)]:
            continue
        if (our_range[1] - our_range[0]) * (their_range[1] - their_range[0]) > MAX_COMPARED_PAIRS:
            return None
        for first, last, start, end in _iterate_changed_runs(reading, our_range, their_range, ours, theirs):
            surface_start, surface_end = reading.words[first].start, reading.words[last].end
            surface = reading.text[surface_start:surface_end]
            starts = find_occurrences(surface, reading.text)
            if start >= end or surface_start not in starts:
                return None
            edits.append(ReadingOverride(surface, "".join(kana[start:end]), occurrence=starts.index(surface_start)))
    return tuple(edits)


def _match_stretches(reading: LineReading, phrases: Sequence[ImportedPhrase], count: int) -> list[tuple[IndexRange, IndexRange]]:
    """Return the stretches between pauses in both readings; if both have as many pauses, their stretches correspond."""
    ends = accumulate(len(split_moras("".join(phrase.moras))) for phrase in phrases)
    theirs = {0, count, *(end for phrase, end in zip(phrases, ends, strict=True) if phrase.pause_s is not None)}
    ours = {0, len(reading.moras), *(mark.moras_before for mark in reading.marks)}
    if len(ours) != len(theirs):
        return [((0, len(reading.moras)), (0, count))]
    return list(zip(pairwise(sorted(ours)), pairwise(sorted(theirs)), strict=True))


def _iterate_changed_runs(
    reading: LineReading, our_range: IndexRange, their_range: IndexRange, ours: MoraPhones, theirs: MoraPhones
) -> Iterator[tuple[int, int, int, int]]:
    """Yield runs of words that are read in another way: first and last word, and their morae [start, end)."""
    matcher = SequenceMatcher(None, ours[slice(*our_range)], theirs[slice(*their_range)], autojunk=False)
    their_index: dict[int, int] = {}
    changed: set[int] = set()
    for tag, i1, i2, j1, _j2 in matcher.get_opcodes():
        if tag == "equal":
            their_index |= {our_range[0] + i1 + step: their_range[0] + j1 + step for step in range(i2 - i1)}
        else:
            changed |= {our_range[0] + i for i in (range(i1, i2) if i1 < i2 else [max(0, i1 - 1)])}
    changed_words = [
        (index, word.first_mora, word.end_mora)
        for index, word in enumerate(reading.words)
        if our_range[0] <= word.first_mora < word.end_mora <= our_range[1]
    ]
    run: list[tuple[int, int, int]] = []
    for word in (*changed_words, None):
        if word is not None and not changed.isdisjoint(range(word[1], word[2])):
            run.append(word)
        elif run:
            first, end = run[0][1], run[-1][2]
            yield (
                run[0][0],
                run[-1][0],
                their_index[first - 1] + 1 if first > our_range[0] else their_range[0],
                their_index[end] if end < our_range[1] else their_range[1],
            )
            run = []


def _find_accent_edits(
    reading: LineReading, phrases: Sequence[ImportedPhrase], ends: Sequence[int]
) -> tuple[tuple[MoraOverride, ...], tuple[PhraseOverride, ...]]:
    tones, begins = [], set()
    start = 0
    for phrase, end in zip(phrases, ends, strict=True):
        heights = compute_phrase_heights(end - start, phrase.accent)
        if heights != [mora.tone for mora in reading.moras[start:end]]:
            tones += [MoraOverride(start + step, tone) for step, tone in enumerate(heights)]
        begins.add(start)
        start = end
    ours = set(reading.phrases)
    differs = sorted(mora for mora in begins ^ ours if may_toggle_phrase(reading, mora))
    return tuple(tones), tuple(PhraseOverride(mora, mora in begins) for mora in differs)


def _add_mora_edits(tones: Sequence[MoraOverride], phrases: Sequence[ImportedPhrase]) -> tuple[MoraOverride, ...]:
    """Return the edits of tones with the pitches and lengths that were set by hand; a mora that we read as several shares its length out."""
    edits = {edit.mora: edit for edit in tones}
    start = 0
    for phrase in phrases:
        nothing = (None,) * len(phrase.moras)
        for kana, pitch, length_s in zip(phrase.moras, phrase.pitches or nothing, phrase.lengths_s or nothing, strict=True):
            count = len(split_moras(kana))
            if pitch is not None or length_s is not None:
                share_s = None if length_s is None else length_s / count
                for mora in range(start, start + count):
                    edits[mora] = replace(edits.get(mora, MoraOverride(mora)), pitch=pitch, length_s=share_s)
            start += count
    return tuple(edits[mora] for mora in sorted(edits))


def _find_pause_edits(
    reading: LineReading, phrases: Sequence[ImportedPhrase], ends: Sequence[int], losses: LossReport
) -> tuple[PauseOverride, ...]:
    """Return the edits of pauses; a run of marks is one pause, held by its first mark."""
    edits: list[PauseOverride] = []
    missing = False
    marks_at: dict[int, list[int]] = {}
    for index, mark in enumerate(reading.marks):
        marks_at.setdefault(mark.moras_before, []).append(index)
    for phrase, end in zip(phrases, ends, strict=True):
        if not phrase.pause_s:
            continue
        marks = marks_at.get(end, [])
        missing |= not marks
        edits += [PauseOverride(mark, 0.0 if step else round(phrase.pause_s, 3)) for step, mark in enumerate(marks)]
    if missing:
        losses.add_lines("記号のない位置のポーズ", "pauses where the text has no mark")
    return tuple(edits)
