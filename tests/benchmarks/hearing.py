"""Hears whether every mora of the included voices is spoken, by every route and at every speed; measures labels, accents, questions and levels.

    python -m tests.benchmarks.hearing [PART …] [--out FOLDER] [--judges PYTHON] [--voices ID …] [--speakers NAME …]
                                       [--routes NAME …] [--speeds N …] [--lines N] [--manners] [--distillmos] [--write]

The parts are heard, words, labels, accents, questions, levels, picture (all of them where none is named), english, manners, takes and opinions; the README says what each
measures. With --manners every manner of a speaker counts as a person of its own. The recogniser
lives in an environment of its own, which is made in the user's cache folder on first use. FOLDER keeps what was heard, a row a line, so that a stopped run
resumes, and the home in which voices are prepared: use a separate one for each commit. The same samples are heard once, whatever route or run they come from.
"""

import argparse
import itertools
import json
import os
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import asdict, astuple, fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import soundfile

from app.common.errors import NothingToReadError
from app.common.files import paths
from app.compose.text_front_end import open_g2p
from app.core.delivery import ENGLISH, LATIN_READINGS
from app.core.script.project import TAKE_VARIATION
from app.core.sound.line_reading import read_line
from app.core.sound.pipeline import Pipeline
from app.core.sound.voice_traits import ARCHITECTURES, SpeakerBlend
from app.core.symbols import is_english
from app.install.natural_voice_first_start import prepare_waiting_voice
from app.install.speaker_blends import add_blend
from app.voices.installed_voices import list_installed_voices
from app.voices.prepared_voice import NamedId, VoiceManifest
from app.voices.voice_labels import NATURAL_VOICE_ID
from tests.benchmarks.drawn_melody import speak
from tests.benchmarks.hearing_judges import Judges, Sound, fetch_second_judges, find_cache_dir, make_environment
from tests.benchmarks.hearing_routes import PLAYED, PUBLISHED, ROUTES, Person, export_files, is_playing_possible, open_pipeline, speak_line
from tests.benchmarks.line_measures import (
    FIRST_MORA_DB,
    DeliveryMeasures,
    EdgeMiss,
    compare_deliveries,
    is_another_manner,
    is_first_mora_devoiced,
    measure_delivery,
    measure_edge_misses,
    measure_first_mora,
    measure_first_step,
    measure_last_rise,
    measure_levels,
    read_cues,
    read_phrases,
    track_semitones,
)
from tests.benchmarks.mora_comparison import compare_moras, count_wrong_words, list_heard, split_moras
from tests.benchmarks.page import put
from tests.benchmarks.pitch import judged

LINES = Path(__file__).with_name("hearing_lines.tsv")
SPEEDS = (0.5, 0.8, 1.0, 1.3, 1.6, 2.0)
VOICES = ("mei", NATURAL_VOICE_ID)
BLENDS = (SpeakerBlend("Female 1 + Male 1", "Female 1", "Male 1", 0.5), SpeakerBlend("Female 2 + Female 4", "Female 2", "Female 4", 0.5))
CARRIER = "{}が、あります。"
EDGE_LIMIT_S = 0.04
PICTURED = 10
Row = dict[str, Any]


def read_texts(*kinds: str, count: int | None = None) -> list[str]:
    """Return the texts of some kinds, all of them or some that are spread over the file."""
    rows = (row.split("\t") for row in LINES.read_text(encoding="utf-8").splitlines())
    texts = [text for kind, text in rows if kind in kinds]
    return texts if count is None else texts[:: max(1, len(texts) // count)][:count]


def list_people(*, with_manners: bool = False) -> Iterator[Person]:
    """Yield every speaker of the included voices, and the blends, which are made where they are missing; the manners of the speakers where asked."""
    found = {voice.manifest.id: voice.manifest for voice in list_installed_voices(paths.list_voice_dirs())}
    for blend in BLENDS if NATURAL_VOICE_ID in found else ():
        if blend.name not in found[NATURAL_VOICE_ID].blends:
            found[NATURAL_VOICE_ID] = add_blend(NATURAL_VOICE_ID, blend).manifest
    for manifest in (found[voice] for voice in VOICES if voice in found):
        first, plain = manifest.speakers[0], manifest.styles[0]
        for speaker in manifest.speakers:
            yield Person(manifest.id, speaker.name, speaker.id, plain.id, speaker.name, plain.name)
            yield from list_manners(manifest, speaker) if with_manners else ()
        for style in (style for style in manifest.styles if style.name in manifest.blends):
            yield Person(manifest.id, style.name, first.id, style.id, first.name, style.name)


def list_manners(manifest: VoiceManifest, speaker: NamedId) -> Iterator[Person]:
    """Yield a speaker in each manner of the voice."""
    manners = ARCHITECTURES[manifest.architecture].manner_names
    for style in (style for style in manifest.styles if style.name in manners):
        yield Person(manifest.id, f"{speaker.name}, {style.name}", speaker.id, style.id, speaker.name, style.name)


def format_table(heads: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """Return a table of the page."""
    return "\n".join(f"| {' | '.join(map(str, row))} |" for row in (heads, ["---"] * len(heads), *rows))


class HeardLines:
    """Lines that were heard, kept in a file, a row each."""

    def __init__(self, file: Path, judges: Judges) -> None:
        """Begin with what the file holds."""
        self._file, self._judges = file, judges
        self.rows: list[Row] = list(map(json.loads, file.read_text(encoding="utf-8").splitlines())) if file.exists() else []

    def hear_lines(self, person: Person, route: str, speed: float, texts: list[str]) -> None:
        """Have those lines spoken and heard that were not heard before."""
        place = {"voice": person.voice, "speaker": person.name, "route": route, "speed": speed}
        known = {row["text"] for row in self.rows if place.items() <= row.items()}
        missing = [text for text in texts if text not in known]
        for text, sound in zip(missing, ROUTES[route](person, speed, missing) if missing else (), strict=True):
            heard = self._judges.recognise_text(sound)
            found = compare_moras(split_moras(read_text(text)), split_moras(read_text(heard)))
            self.rows.append(place | {"text": text, "sound": sound.digest, "heard": heard} | asdict(found))
            with self._file.open("a", encoding="utf-8") as file:
                file.write(json.dumps(self.rows[-1], ensure_ascii=False) + "\n")

    def format_rows(self) -> str:
        """Return the table: a row for each speaker, route and speed, and one for each route and speed over all."""
        groups: defaultdict[tuple[Any, ...], list[Row]] = defaultdict(list)
        for row in self.rows:
            groups[row["voice"], row["speaker"], row["route"], row["speed"]].append(row)
            groups[row["voice"], "all", row["route"], row["speed"]].append(row)
        heads = ("voice", "speaker", "route", "speed", "lines", "starts heard", "ends heard", "mora errors")
        return format_table(heads, [(*place, *summarise_rows(rows)) for place, rows in sorted(groups.items(), key=lambda item: item[0])])


def summarise_rows(rows: list[Row]) -> tuple[str, ...]:
    """Return how many lines there are, the shares of starts and ends that were heard, and the share of morae that were not."""
    wrong = sum(row["wrong"] for row in rows) / sum(row["count"] for row in rows)
    return str(len(rows)), *(f"{np.mean([row[edge] for row in rows]):.2f}" for edge in ("start_heard", "end_heard")), f"{wrong:.1%}"


def read_text(text: str) -> str:
    """Return the reading that `koebako g2p` prints; empty where nothing can be read."""
    try:
        return open_g2p().convert_sentence(text).reading
    except NothingToReadError:
        return ""


def hear_all(people: list[Person], options: argparse.Namespace, judges: Judges) -> str:
    """Hear every line of every person by every route at every speed."""
    heard, texts, routes, note = HeardLines(options.out / "heard.jsonl", judges), choose_lines(options), list(options.routes), ""
    if PLAYED in routes and not is_playing_possible():
        routes.remove(PLAYED)
        note = "\n\nNothing was played: that needs pulseaudio, pulseaudio-utils, libasound2-plugins and libportaudio2."
    for route, speed, person in itertools.product(routes, options.speeds, people):
        if route == PUBLISHED and person.voice != NATURAL_VOICE_ID:
            continue
        print(f"{person.voice}, {person.name}: {route} at {speed:g}", file=sys.stderr, flush=True)
        heard.hear_lines(person, route, speed, texts)
    return heard.format_rows() + note


def measure_words(people: list[Person], options: argparse.Namespace, _judges: Judges) -> str:
    """Measure the first mora of words alone, at which a recogniser guesses, and of lines, unless it is devoiced."""
    rows = []
    for person, (kind, texts) in itertools.product(people, {"words": read_texts("word"), "lines": choose_lines(options)}.items()):
        spoken = [speak_line(person, text) for text in texts]
        voiced = [item for item in spoken if not is_first_mora_devoiced(item.timings)]
        levels = np.array([measure_first_mora(item.samples, find_rate(person), item.timings) for item in voiced])
        share = f"{(levels >= FIRST_MORA_DB).mean():.2f}"
        rows.append((person.voice, person.name, kind, len(levels), share, f"{np.median(levels):.1f}", f"{levels.min():.1f}"))
    return format_table(("voice", "speaker", "", "number", f"first mora ≥ {FIRST_MORA_DB:g} dB", "median, dB", "lowest"), rows)


def choose_lines(options: argparse.Namespace) -> list[str]:
    """Return the lines that were asked for."""
    return read_texts("line", "question", "two", count=options.lines)


def find_rate(person: Person) -> int:
    """Return the sampling rate of a person's voice."""
    return open_pipeline(person.voice).voice.sampling_rate


def measure_labels(people: list[Person], options: argparse.Namespace, _judges: Judges) -> str:
    """Measure where sound begins and ends against exported labels, phrase by phrase, and subtitles, sentence by sentence."""
    rows = []
    for person in people:
        misses: dict[str, list[EdgeMiss | None]] = {"labels": [], "subtitles": []}
        with tempfile.TemporaryDirectory() as folder:
            for file in export_files(person, 1.0, choose_lines(options), Path(folder)):
                samples, rate = soundfile.read(file, dtype="float32")
                spans = {"labels": read_phrases(file.with_suffix(".lab").read_text(encoding="utf-8"))}
                spans["subtitles"] = read_cues(file.with_suffix(".srt").read_text(encoding="utf-8"))
                for kind, found in spans.items():
                    misses[kind] += measure_edge_misses(samples, rate, found)
        rows += [(person.voice, person.name, kind, *summarise_misses(misses[kind])) for kind in misses]
    heads = ("voice", "speaker", "", "number", "both within 40 ms", "starts", "starts, no stops", "ends", "median start", "median end")
    return format_table(heads, rows)


def summarise_misses(misses: Sequence[EdgeMiss | None]) -> tuple[str, ...]:
    """Return the number of spans, the shares within EDGE_LIMIT_S and the medians; a span without sound is within none."""
    found = [miss for miss in misses if miss is not None]
    starts, ends = (np.array([getattr(miss, edge) for miss in found]) for edge in ("start_s", "end_s"))
    near_starts, near_ends, stops = abs(starts) <= EDGE_LIMIT_S, abs(ends) <= EDGE_LIMIT_S, np.array([miss.stop_first for miss in found])
    silent = len(misses) - len(found)
    shares = [(near_starts & near_ends).sum() / len(misses), near_starts.sum() / len(misses)]
    shares += [near_starts[~stops].sum() / max(1, (~stops).sum() + silent), near_ends.sum() / len(misses)]
    return str(len(misses)), *(f"{share:.2f}" for share in shares), *(f"{np.median(edge):+.3f} s" for edge in (starts, ends))


def measure_accents(people: list[Person], options: argparse.Namespace, _judges: Judges) -> str:
    """Measure the first step of the pitch in words that differ in accent alone, at the beginning of a line; without a pitch it is wrong."""
    pairs = [pair.split("/") for pair in read_texts("pair", count=options.lines)]
    rows = []
    for person in people:
        wrong = []
        for falling, rising in pairs:
            for word, sign in ((falling, -1), (rising, 1)):
                spoken = speak_line(person, CARRIER.format(word))
                if not sign * measure_first_step(spoken.samples, find_rate(person), spoken.timings) > 0:
                    wrong.append(word)
        rows.append((person.voice, person.name, f"{2 * len(pairs) - len(wrong)} of {2 * len(pairs)}", " ".join(wrong)))
    return format_table(("voice", "speaker", "right", "wrong"), rows)


def measure_questions(people: list[Person], options: argparse.Namespace, _judges: Judges) -> str:
    """Measure how far questions rise in their last voiced run."""
    texts, rows = read_texts("question", count=options.lines), []
    for person in people:
        rises = [measure_last_rise(track_semitones(speak_line(person, text).samples, find_rate(person))) for text in texts]
        rows.append((person.voice, person.name, f"{np.nanmedian(rises):+.1f}", *(f"{rise:+.1f}" for rise in rises)))
    return format_table(("voice", "speaker", "median, semitones", *texts), rows)


def measure_all_levels(people: list[Person], options: argparse.Namespace, _judges: Judges) -> str:
    """Measure loudness and peaks of every speaker."""
    rows = []
    for person in people:
        found = measure_levels([speak_line(person, text).samples for text in choose_lines(options)], find_rate(person))
        rows.append((person.voice, person.name, f"{found.lufs:.1f}", f"{found.peak:.2f}", found.lines_over, found.samples_over))
    return format_table(("voice", "speaker", "LUFS", "peak", "lines over full scale", "samples over"), rows)


def measure_manners(people: list[Person], options: argparse.Namespace, _judges: Judges) -> str:
    """Measure by how much the manners of a speaker differ, each pair over all speakers: means, and the lines in which one bound or more is met."""
    speakers = [person for person in people if person.style == 0]
    texts, deliveries = choose_lines(options), defaultdict[str, list[DeliveryMeasures]](list)
    for speaker in speakers:
        styles = open_pipeline(speaker.voice).voice.styles
        manifest = next(voice.manifest for voice in list_installed_voices(paths.list_voice_dirs()) if voice.manifest.id == speaker.voice)
        named = NamedId(speaker.speaker, speaker.speaker_name)
        for person in (speaker, *list_manners(manifest, named)):
            measured = [measure_delivery(speak_line(person, text).samples, find_rate(person)) for text in texts]
            deliveries[styles[person.style]] += measured
    rows = []
    for (one, first), (other, second) in itertools.combinations(deliveries.items(), 2):
        steps = [compare_deliveries(*pair) for pair in zip(first, second, strict=True)]
        means = (f"{np.mean([getattr(step, field.name) for step in steps]):+.2f}" for field in fields(DeliveryMeasures))
        rows.append((one, other, len(steps), *means, f"{np.mean([is_another_manner(step) for step in steps]):.2f}"))
    return format_table(("manner", "another", "lines", "pitch, st", "range, st", "length, %", "level, dB", "beyond a bound"), rows)


def measure_takes(people: list[Person], options: argparse.Namespace, _judges: Judges) -> str:
    """Measure how far five takes of a line are from each other, for speakers whose takes vary: deviations of means, and accents."""
    rows = []
    for person in (person for person in people if not open_pipeline(person.voice).voice.architecture.draws_noise):
        deviations = []
        for text in choose_lines(options):
            takes = [speak_line(person, text, seed=seed, variation=TAKE_VARIATION).samples for seed in range(1, 6)]
            measured = [astuple(measure_delivery(take, find_rate(person))) for take in takes]
            lengths = np.array([row[2] for row in measured])
            deviations.append((*np.std(measured, axis=0)[[0, 1, 3]], 100 * np.std(lengths) / lengths.mean()))
        rows.append((person.voice, person.name, len(deviations), *(f"{value:.2f}" for value in np.mean(deviations, axis=0))))
    return format_table(("voice", "speaker", "lines", "pitch, st", "range, st", "level, dB", "length, %"), rows)


def measure_english(people: list[Person], options: argparse.Namespace, judges: Judges) -> str:
    """Hear how many words of English lines are wrong, and in mixed lines how many Japanese morae, with the English as katakana and in English."""
    rows = []
    for person in people:
        pipeline = open_pipeline(person.voice)
        if not pipeline.voice.architecture.speaks_english:
            continue

        def hear(text: str, latin: str, language: str, person: Person = person, pipeline: Pipeline = pipeline) -> str:
            spoken = speak(pipeline, replace(person.build_request(text, 1.0), latin=latin))
            return judges.recognise_text(Sound.from_float(spoken.samples, pipeline.voice.sampling_rate), language)

        texts = read_texts("english", count=options.lines)
        words = [count_wrong_words(text, hear(text, ENGLISH, "en")) for text in texts]
        shares = [f"{sum(wrong for wrong, _ in words) / sum(count for _, count in words):.1%}"]
        for latin in LATIN_READINGS:
            found = [
                right for text in read_texts("mixed", count=options.lines) for right in list_heard_japanese(text, hear(text, latin, "ja"))
            ]
            shares.append(f"{1 - np.mean(found):.1%}")
        rows.append((person.voice, person.name, len(texts), *shares))
    return format_table(("voice", "speaker", "lines", "English words wrong", "Japanese morae wrong, katakana", "in English"), rows)


def list_heard_japanese(text: str, heard: str) -> list[bool]:
    """Return for each mora of a mixed line that is not of its English words whether it was heard."""
    g2p = open_g2p()
    plain, english = read_line(text, (), g2p), read_line(text, (), g2p, english=True)
    foreign = [word for word in english.words if any(map(is_english, word.phones))]
    is_foreign = [
        any(word.start < one.end and one.start < word.end for one in foreign)
        for word in plain.words
        for _ in range(word.first_mora, word.end_mora)
    ]
    said = split_moras("".join(mora.kana for mora in plain.moras))
    return [right for right, is_other in zip(list_heard(said, split_moras(read_text(heard))), is_foreign, strict=True) if not is_other]


def draw_picture(people: list[Person], options: argparse.Namespace, judges: Judges) -> str:
    """Draw how PICTURED lines begin, the speakers in turn."""
    starts = {}
    for number, text in enumerate(read_texts("line", count=PICTURED)):
        person = people[number % len(people)]
        spoken = speak_line(person, text)
        phones = " ".join(item.phone for item in spoken.timings[:8])
        starts[f"{person.voice}, {person.name}: {phones}"] = Sound.from_float(spoken.samples, find_rate(person))
    judges.draw_starts(starts, options.out / "starts.png")
    return f"{options.out / 'starts.png'}"


def collect_opinions(people: list[Person], options: argparse.Namespace, judges: Judges) -> str:
    """Ask the second judges: DNSMOS, and DistillMOS where it is asked for."""
    dnsmos, rows = judged(fetch_second_judges(options.judges) / "speechmos" / "dnsmos_models"), []
    for person in people:
        rate, lines = find_rate(person), [speak_line(person, text).samples for text in choose_lines(options)]
        more = [f"{np.mean([judges.rate_sound(Sound.from_float(samples, rate)) for samples in lines]):.3f}"] if options.distillmos else []
        rows.append((person.voice, person.name, len(lines), f"{dnsmos(lines, rate):.3f}", *more))
    return format_table(("voice", "speaker", "lines", "DNSMOS", *(["DistillMOS"] if options.distillmos else [])), rows)


PARTS = {
    "heard": hear_all,
    "words": measure_words,
    "labels": measure_labels,
    "accents": measure_accents,
    "questions": measure_questions,
    "levels": measure_all_levels,
    "english": measure_english,
    "picture": draw_picture,
    "manners": measure_manners,
    "takes": measure_takes,
    "opinions": collect_opinions,
}
BY_REQUEST = ("english", "manners", "takes", "opinions")


def parse_options() -> argparse.Namespace:
    """Return the options of the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join(PARTS))
    parser.add_argument("--out", type=Path, default=Path("build/hearing"))
    parser.add_argument("--judges", type=Path, metavar="PYTHON", help="of an environment that has the judges")
    parser.add_argument("--voices", nargs="+", default=VOICES)
    parser.add_argument("--speakers", nargs="+")
    parser.add_argument("--routes", nargs="+", choices=ROUTES, default=list(ROUTES))
    parser.add_argument("--speeds", nargs="+", type=float, default=SPEEDS)
    parser.add_argument("--lines", type=int, help="so many lines, and so many pairs of words")
    parser.add_argument("--manners", action="store_true", help="every manner of a speaker, too")
    parser.add_argument("--distillmos", action="store_true", help="with the opinions: brings PyTorch into the judges' environment")
    parser.add_argument("--write", action="store_true", help="into tests/benchmarks/README.md")
    options = parser.parse_args()
    if unknown := set(options.parts) - set(PARTS):
        parser.error(f"unknown: {', '.join(unknown)}")
    options.parts = options.parts or [part for part in PARTS if part not in BY_REQUEST]
    return options


def main() -> None:
    """Prints the tables of the parts, keeps them beside what was heard, and writes them into the page."""
    options = parse_options()
    options.out.mkdir(parents=True, exist_ok=True)
    os.environ |= {"KOEBAKO_HOME": str((options.out / "home").absolute()), "KOEBAKO_LANG": "en"}
    prepare_waiting_voice(print)
    options.judges = options.judges or make_environment(with_torch=options.distillmos)
    people = [
        person
        for person in list_people(with_manners=options.manners)
        if person.voice in options.voices and person.name in (options.speakers or [person.name])
    ]
    cache_dir = find_cache_dir()
    cache_dir.mkdir(parents=True, exist_ok=True)
    judges, tables = Judges(options.judges, cache_dir=cache_dir), []
    try:
        for part in options.parts:
            table = PARTS[part](people, options, judges)
            (options.out / f"{part}.md").write_text(table + "\n", encoding="utf-8")
            tables.append(f"{part}:\n\n{table}")
            print(tables[-1], end="\n\n", flush=True)
    finally:
        judges.close()
    if options.write:
        put("hearing", "\n\n".join(tables))


if __name__ == "__main__":
    main()
