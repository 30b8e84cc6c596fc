"""A data folder as it is after weeks of use: every JSON file that the program keeps is there, written by the program's own functions."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from app import paths
from app.adapters.download.part import Origin, Part, downloads_dir, key_of
from app.adapters.ort.optimized_graphs import GRAPH_NAME, WEIGHTS_NAME, GraphStore
from app.adapters.probe_results import ProbeMemory
from app.adapters.user_dictionary import change_dictionary, dictionary_path, load_dictionary
from app.core.dictionary import make_entry
from app.core.presets import Preset
from app.core.script import Line, LineSettings, Script
from app.core.timing import never
from app.core.types import MoraOverride, Overrides, PauseOverride, PhraseOverride, ReadingOverride
from app.data_file import write_json
from app.install.licence import Licence, accepted_path, is_accepted, remember
from app.paths import data_dir
from app.settings import Settings, load_settings, save_settings, settings_path
from app.ui.actions.key_bindings import Binding, load_shortcuts, save_shortcuts, shortcuts_path
from app.ui.parameters.presets import load_presets, presets_path, save_presets
from app.ui.script.autosave import autosave_path, load_autosave, write_autosave
from app.ui.shell.single_instance import requests_dir, take_requests
from app.voices.bert import installed_berts, read_bert
from app.voices.card import Card, Sample, SpeakerCard, StyleCard, read_card, write_card
from app.voices.library import damaged_voices, installed_voices
from app.voices.manifest import read_manifest, write_manifest
from app.voices.remembered import Remembered

VOICE, BERT = "other-voice", "other-bert"
STARTER_BERT = "koebako-starter-v1"
A_DATE = 1_795_000_000.0  # the same for all: the places of a file are counted
URL = "https://example.invalid/voice.aivmx"
EDITS = Overrides(
    (ReadingOverride("雨", "アマ", 1, 0),), (MoraOverride(0, 1, 0.1),), (PauseOverride(0, 0.2),), (PhraseOverride(2, True),), "雨が降る。"
)
WEIGHTS = b"weights of a copy, in two halves"
SCRIPT = Script(
    (
        Line(
            "雨が降る。", LineSettings(voice=VOICE, style="Happy", speed=1.1, pauses=((",", 0.2),), seed=7, seed_locked=False), EDITS, "a1"
        ),
        Line("二行目。", id="b2"),
    ),
    "題",
)


@dataclass(frozen=True, slots=True)
class OwnFile:
    """A file of ours.

    Attributes:
        load: reads it as the program does; the second of what it returns, where it returns a tuple, is what the user is told.
        save: writes something else in its place; None where the user made nothing of it.
    """

    name: str
    path: Path
    load: Callable[[], Any]
    save: Callable[[], Any] | None = None


def make_voice(name: str, **changes: Any) -> Path:
    """Another voice in the library: the one we ship under another id, its graphs shared."""
    shipped, folder = paths.resources_dir() / "voices" / "mei", data_dir() / "voices" / name
    folder.mkdir(parents=True)
    for item in shipped.iterdir():
        with suppress(OSError):
            (folder / item.name).symlink_to(item) if item.suffix == ".onnx" else shutil.copy(item, folder / item.name)
    write_manifest(replace(read_manifest(shipped), **({"id": name, "name": "別の声", "licence": ""} | changes)), folder)
    style = StyleCard(0, "media/0a.png", (Sample("media/0b.wav", "あ"),))
    write_card(
        Card(
            "u",
            "1.0",
            "Style-Bert-VITS2",
            ("誰か",),
            10,
            20,
            "a.aivmx",
            "0" * 64,
            1,
            2,
            "2026-11-22",
            1e-5,
            "",
            (SpeakerCard(0, "u", ("ja",), "", (style,)),),
        ),
        folder,
    )
    return folder


def make_home() -> list[OwnFile]:
    """All files, and how each is read."""
    save_settings(Settings(text="はい。", voice=VOICE, style="Happy", save_folder="/tmp", geometry="AAAA"))
    write_autosave(SCRIPT, "a1")
    save_presets({"早口": Preset(LineSettings(speed=1.5, pauses=((",", 0.1),)))})
    save_shortcuts({"play": Binding(("Ctrl+P",), ("P",))})
    change_dictionary(lambda _words: (make_entry("檜箱庵", "ヒノバコアン", 3), make_entry("Koebako", "コエバコ", 0, "noun", 7)))
    remember(Licence(VOICE, "別の声", "be kind"))
    write_json(data_dir() / "voice_names.json", {"version": 1, "names": {VOICE: "別の声"}})
    return [*_of_the_user(), *_of_the_program(), *_of_models()]


def _of_the_user() -> list[OwnFile]:
    return [
        OwnFile("settings", settings_path(), load_settings, lambda: save_settings(Settings(text="x"))),
        OwnFile("autosave", autosave_path(), lambda: load_autosave()[::3], lambda: write_autosave(Script((Line("x"),)), "")),
        OwnFile("presets", presets_path(), load_presets, lambda: save_presets({})),
        OwnFile("shortcuts", shortcuts_path(), load_shortcuts, lambda: save_shortcuts({})),
        OwnFile("dictionary", dictionary_path(), load_dictionary, lambda: change_dictionary(lambda _words: ())),
    ]


def _of_the_program() -> list[OwnFile]:
    memory, remembered = ProbeMemory(data_dir() / "cache" / "probe.json", lambda: A_DATE), data_dir() / "cache" / "digests.json"
    memory.begin("cpu", "m")
    memory.end("cpu", {"ok": True, "total_ms": 1.0}, "m")
    memory.choose("cpu", "m")
    known = Remembered("digests.json")
    known.put(settings_path(), "0" * 64)
    known.save()
    request = requests_dir() / "0a.json"
    write_json(request, ["/tmp/a.txt"])
    key = key_of(URL, None)
    write_json(downloads_dir() / f"{key}.json", asdict(Origin('"one"', 100, False)))

    def recall() -> None:
        (downloads_dir() / f"{key}.part").write_bytes(b"x" * 10)
        Part(URL, None).recall(verified_later=False, cancelled=never)

    def probe() -> None:
        memory.chosen("m")
        memory.wait_s("cpu", "m")
        memory.begin("cpu", "m")
        memory.end("cpu", {"ok": True}, "m")
        memory.withdraw("cpu", "m")

    def recollect() -> None:
        store = Remembered("digests.json")
        store.get(settings_path())
        store.put(settings_path(), "x")
        store.save()

    return [
        OwnFile("accepted", accepted_path(), lambda: [is_accepted(Licence(VOICE, "", "be kind")), remember(Licence("b", "", "x"))]),
        OwnFile("probe", data_dir() / "cache" / "probe.json", probe),
        OwnFile("digests", remembered, recollect),
        OwnFile("request", request, take_requests),
        OwnFile("sidecar", downloads_dir() / f"{key}.json", recall),
    ]


def _of_models() -> list[OwnFile]:
    voice, bert = make_voice(VOICE), data_dir() / "bert" / BERT
    shutil.copytree(paths.resources_dir() / "bert" / "starter", bert)
    facts = json.loads((bert / "bert.json").read_text(encoding="utf-8"))
    write_json(bert / "bert.json", facts | {"id": BERT})
    store, source = GraphStore(data_dir() / "cache" / "graphs", smallest_bytes=0), data_dir() / "cache" / "graph.onnx"
    source.write_bytes(b"graph")

    def write(folder: Path) -> None:
        for name in (GRAPH_NAME, WEIGHTS_NAME):
            (folder / name).write_bytes(WEIGHTS)

    copy = store.copy_of(source, "", write)
    assert copy is not None
    roots = [data_dir() / "voices"]
    return [
        OwnFile("voice", voice / "voice.json", lambda: [installed_voices(roots), damaged_voices(roots), read_manifest(voice)]),
        OwnFile("card", voice / "card.json", lambda: read_card(voice)),
        OwnFile("bert", bert / "bert.json", lambda: [installed_berts([bert.parent]), read_bert(bert)]),
        OwnFile("graph copy", copy.parent / "record.json", lambda: store.copy_of(source, "", write)),
    ]
