"""Reads names of places by Japan Post's list: a municipality by its prefecture, a quarter by the municipality before it (packaging/place_names.py).

A name counts where it begins and ends with words of the analyser: 豊田|市, 横浜|市南|区; and before 市役所, 町長 and their like.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from app.core.text.readings.morphs import Correction, Morph, MorphPart

MUNICIPALITIES_FILE, QUARTERS_FILE, STATIONS_FILE = "readings/municipalities.tsv", "readings/quarters.zip", "readings/stations.tsv"
_SUFFIX_READINGS = {"市": ("シ",), "区": ("ク",), "町": ("チョー", "マチ"), "村": ("ソン", "ムラ"), "郡": ("グン",)}
_ANY_SUFFIX = re.compile("[市区町村郡]")
_LONGEST_PLACE = 12  # letters
_HONORIFICS = frozenset("さん さま 様 氏 君 くん ちゃん 先生 選手 監督 容疑者 被告".split())  # noqa: SIM905 — 東村さん is a person
_PLACE_KIND, _SUFFIX_KIND = "名詞,固有名詞,地域", "名詞,接尾,地域"


def _fold_name(name: str) -> str:
    """Return a name as the list writes it: 鎌ヶ谷 is 鎌ケ谷 there."""
    return name.replace("ヶ", "ケ")


class _Municipality(NamedTuple):
    """A municipality of the list in a sentence."""

    last: int  # the word of the analyser behind it
    name: str
    prefectures: Sequence[str]  # which it may belong to
    parts: Sequence[tuple[str, str]]  # 横浜市 and 南区, with their pronunciations
    is_cut: bool  # the suffix belongs to the word behind it: 市役所


class PlaceNames:
    """The list.

    Args:
        municipalities: lines of prefecture, name and pronunciation, with tabs between them; a ward's are those of its city and its own, with a space between.
        read_quarters: returns, for a prefecture, paragraphs of prefecture and municipality, and then of the names and pronunciations of quarters.
        stations: lines of name and pronunciation.
    """

    def __init__(self, municipalities: str, read_quarters: Callable[[str], str], stations: str = "") -> None:
        # A row for each prefecture, as text: as dictionaries they would take three times the memory.
        self._readings: dict[str, str] = {}
        for line in municipalities.splitlines():
            prefecture, names, readings = line.split("\t")
            self._add_row(names.replace(" ", ""), line)
            if " " in names:
                self._add_row(names.split()[1], f"{prefecture}\t{names.split()[1]}\t{readings.split()[1]}")
        self._first_letters = frozenset(name[0] for name in self._readings)
        self._stations = dict(line.split("\t") for line in stations.splitlines())
        self._read_quarters = read_quarters
        self._list_quarters = lru_cache(maxsize=64)(self._parse_quarters)

    def _add_row(self, name: str, row: str) -> None:
        rows = self._readings.get(_fold_name(name))
        self._readings[_fold_name(name)] = row if rows is None else f"{rows}\n{row}"

    def find_corrections(self, morphs: Sequence[Morph]) -> Iterator[Correction]:
        """Yield the names of places in a sentence that the analyser reads otherwise."""
        text = "".join(morph.surface for morph in morphs)
        if "駅" in text:
            yield from self._find_stations(morphs)
        if _ANY_SUFFIX.search(text) is None:
            return
        at = 0
        while at < len(morphs):
            place = self._find_municipality(morphs, at, text) if morphs[at].surface[:1] in self._first_letters else None
            if place is None:
                at += 1
                continue
            yield from _iterate_municipality_corrections(morphs[at : place.last], at, place)
            at = place.last
            if not place.is_cut and (quarter := self._find_quarter(morphs, place)):
                yield quarter
                at = quarter.last

    def _find_stations(self, morphs: Sequence[Morph]) -> Iterator[Correction]:
        """Yield the longest name before each 駅."""
        for last, morph in enumerate(morphs):
            name, longest = "", None
            for first in reversed(range(last)) if morph.surface.startswith("駅") else ():
                name = morphs[first].surface + name
                if len(name) > _LONGEST_PLACE or morphs[first].is_users:
                    break
                if reading := self._stations.get(_fold_name(name)):
                    longest = Correction(first, last, (MorphPart(name, reading, kind=_PLACE_KIND),), "dictionary", f"{name}駅")
            if longest is not None:
                yield longest

    def _find_municipality(self, morphs: Sequence[Morph], first: int, text: str) -> _Municipality | None:
        """Return the longest name that begins with a word of the analyser, which is one of the sentence `text`."""
        name, longest = "", None
        for last in range(first, len(morphs)):
            name += morphs[last].surface
            if len(name) > _LONGEST_PLACE or morphs[last].is_users:
                break
            following, kinds = (morphs[last + 1].surface, morphs[last + 1].kinds) if last + 1 < len(morphs) else ("", ())
            is_person = "人名" in kinds or following in _HONORIFICS  # 古河|市五郎, 東村さん
            is_cut = len(following) > 1 and not is_person and _fold_name(name + following[0]) in self._readings
            full_name = _fold_name(name + following[0] if is_cut else name)
            if not is_cut and (full_name not in self._readings or is_person):
                continue
            readings = _parse_rows(self._readings[full_name])
            nearest = _choose_prefecture(text, morphs[first].start, readings)
            if nearest is None and (
                len(set(readings.values())) > 1 or not _is_sure(morphs[first : last + 1], next(iter(readings.values())), is_cut)
            ):
                continue
            belongs_to = [nearest] if nearest else list(readings)
            names, pronunciations = (side.split() for side in readings[belongs_to[0]].split("\t"))
            longest = _Municipality(last + 1, full_name, belongs_to, list(zip(names, pronunciations, strict=True)), is_cut)
        return longest

    def _find_quarter(self, morphs: Sequence[Morph], place: _Municipality) -> Correction | None:
        """Return the correction for the longest name of a quarter behind a municipality."""
        if place.last == len(morphs):
            return None
        quarters = next(filter(None, (self._list_quarters(f"{prefecture}\t{place.name}") for prefecture in place.prefectures)), {})
        name, longest = "", None
        for last in range(place.last, len(morphs)):
            name += morphs[last].surface
            if len(name) > _LONGEST_PLACE or morphs[last].is_users:
                break
            if reading := quarters.get(_fold_name(name)):
                longest = Correction(place.last, last + 1, _build_parts(name, reading), "dictionary", name)
        return longest

    def _parse_quarters(self, place: str) -> dict[str, str]:
        """Return the quarters of a municipality that are misread otherwise, with their pronunciations."""
        _, found, rest = self._read_quarters(place.partition("\t")[0]).partition(f"\n\n{place}\n")
        return dict(line.split("\t") for line in rest.partition("\n\n")[0].splitlines()) if found else {}


def _parse_rows(rows: str) -> dict[str, str]:
    """Return names and pronunciations by prefecture; of two rows of one prefecture the first counts."""
    return {prefecture: entry for prefecture, _, entry in (row.partition("\t") for row in reversed(rows.split("\n")))}


def _is_sure(morphs: Sequence[Morph], entry: str, is_cut: bool) -> bool:
    """Return whether a name is that of a municipality without its prefecture: a word is not (大町, 中村), nor a 町 whose name is read otherwise elsewhere."""
    names, readings = entry.split("\t")
    if names[-1] not in "町村":
        return True
    (stem, *_) = _build_parts(names, readings)
    return not is_cut and morphs[-1].surface == names[-1] and "".join(morph.reading for morph in morphs[:-1]) == stem.reading


def _choose_prefecture(text: str, start: int, readings: Mapping[str, str]) -> str | None:
    """Return the prefecture of a name that begins at `start`: the last one before it that has the name, or else the first behind it."""
    before = max((text.rfind(prefecture, 0, start), prefecture) for prefecture in readings)
    if before[0] >= 0:
        return before[1]
    behind = [(place, prefecture) for prefecture in readings if (place := text.find(prefecture, start)) >= 0]
    return min(behind)[1] if behind else None


def _iterate_municipality_corrections(morphs: Sequence[Morph], first: int, place: _Municipality) -> Iterator[Correction]:
    """Yield corrections for what is misread of a municipality, so that a stem that the analyser reads right keeps its accent."""
    parts = [part for name, reading in place.parts for part in _build_parts(name, reading)]
    if place.is_cut:
        parts = parts[:-1]
    surfaces = [part.surface for part in parts]
    if surfaces == [morph.surface for morph in morphs]:
        groups: list[tuple[int, int, tuple[MorphPart, ...]]] = [(at, at + 1, (part,)) for at, part in enumerate(parts)]
    elif len(parts) == 2 and surfaces[1] == morphs[-1].surface:
        groups = [(0, len(morphs) - 1, (parts[0],)), (len(morphs) - 1, len(morphs), (parts[1],))]
    else:
        groups = [(0, len(morphs), tuple(parts))]
    for start, end, replacing in groups:
        if "".join(morph.reading for morph in morphs[start:end]) != "".join(str(part.reading) for part in replacing):
            yield Correction(first + start, first + end, replacing, "dictionary", place.name)


def _build_parts(name: str, reading: str) -> tuple[MorphPart, ...]:
    """Return stem and suffix of a name, which the analyser joins by its rules."""
    for ending in _SUFFIX_READINGS.get(name[-1], ()):
        if reading.endswith(ending) and len(name) > 1:
            return (MorphPart(name[:-1], reading.removesuffix(ending), kind=_PLACE_KIND), MorphPart(name[-1], ending, kind=_SUFFIX_KIND))
    return (MorphPart(name, reading, kind=_PLACE_KIND),)
