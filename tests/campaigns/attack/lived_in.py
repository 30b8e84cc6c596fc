"""A data folder as it is after weeks of use: every JSON file that the program keeps is there, written by the program's own functions."""

import json
import shutil
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from app.adapters.download.partial_download import PartialDownload, ResumeValidator, compute_download_key, find_downloads_dir
from app.adapters.ort.optimized_graphs import OPTIMIZED_GRAPH_NAME, OPTIMIZED_WEIGHTS_NAME, GraphStore
from app.adapters.probe_results import ProbeResultStore
from app.adapters.user_dictionary import change_dictionary, find_dictionary_path, load_dictionary
from app.adapters.window_requests import find_requests_dir
from app.common.files import paths
from app.common.files.paths import find_data_dir
from app.common.files.whole_files import write_json
from app.core.script.project import LinePreset
from app.core.script.script import Line, LineSettings, Script
from app.core.sound.stage_clock import ignore_cancellation
from app.core.synthesis_types import MoraOverride, Overrides, PauseOverride, PhraseOverride, ReadingOverride
from app.core.text.dictionary_entries import make_entry
from app.install.voice_licence import VoiceLicence, find_acceptance_file, is_accepted, record_acceptance
from app.settings.user_settings import Settings, find_settings_path, load_settings, save_settings
from app.ui.actions.window_actions import KeyBinding, load_shortcuts, locate_shortcuts_file, save_shortcuts
from app.ui.parameters.preset_bar import load_presets, locate_presets_file, save_presets
from app.ui.script.autosave import load_autosave, locate_autosave_file, write_autosave
from app.ui.shell.single_instance import take_requests
from app.voices.bert_models import list_installed_berts, read_bert
from app.voices.file_fact_cache import FileFactCache
from app.voices.installed_voices import list_damaged_voices, list_installed_voices
from app.voices.prepared_voice import read_manifest, write_manifest
from app.voices.voice_card_data import SpeakerCard, StyleCard, VoiceCardData, VoiceSample, read_card, write_card

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
    shipped, folder = paths.find_resources_dir() / "voices" / "mei", find_data_dir() / "voices" / name
    folder.mkdir(parents=True)
    for item in shipped.iterdir():
        with suppress(OSError):
            (folder / item.name).symlink_to(item) if item.suffix == ".onnx" else shutil.copy(item, folder / item.name)
    write_manifest(replace(read_manifest(shipped), **({"id": name, "name": "別の声", "licence": ""} | changes)), folder)
    style = StyleCard(0, "media/0a.png", (VoiceSample("media/0b.wav", "あ"),))
    write_card(
        VoiceCardData(
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
    save_presets({"早口": LinePreset(LineSettings(speed=1.5, pauses=((",", 0.1),)))})
    save_shortcuts({"play": KeyBinding(("Ctrl+P",), ("P",))})
    change_dictionary(lambda _words: (make_entry("檜箱庵", "ヒノバコアン", 3), make_entry("Koebako", "コエバコ", 0, "noun", 7)))
    record_acceptance(VoiceLicence(VOICE, "別の声", "be kind"))
    write_json(find_data_dir() / "voice_names.json", {"version": 1, "names": {VOICE: "別の声"}})
    return [*_of_the_user(), *_of_the_program(), *_of_models()]


def _of_the_user() -> list[OwnFile]:
    return [
        OwnFile("settings", find_settings_path(), load_settings, lambda: save_settings(Settings(text="x"))),
        OwnFile("autosave", locate_autosave_file(), lambda: load_autosave()[::3], lambda: write_autosave(Script((Line("x"),)), "")),
        OwnFile("presets", locate_presets_file(), load_presets, lambda: save_presets({})),
        OwnFile("shortcuts", locate_shortcuts_file(), load_shortcuts, lambda: save_shortcuts({})),
        OwnFile("dictionary", find_dictionary_path(), load_dictionary, lambda: change_dictionary(lambda _words: ())),
    ]


def _of_the_program() -> list[OwnFile]:
    memory, remembered = (
        ProbeResultStore(find_data_dir() / "cache" / "probe.json", lambda: A_DATE),
        find_data_dir() / "cache" / "digests.json",
    )
    memory.begin_trial("cpu", "m")
    memory.end_trial("cpu", {"ok": True, "total_ms": 1.0}, "m")
    memory.save_placement("cpu", "m")
    known = FileFactCache("digests.json")
    known.store_value(find_settings_path(), "0" * 64)
    known.save_cache()
    request = find_requests_dir() / "0a.json"
    write_json(request, ["/tmp/a.txt"])
    key = compute_download_key(URL, None)
    write_json(find_downloads_dir() / f"{key}.json", asdict(ResumeValidator('"one"', 100, False)))

    def recall() -> None:
        (find_downloads_dir() / f"{key}.part").write_bytes(b"x" * 10)
        PartialDownload(URL, None).load_earlier_bytes(verified_later=False, cancelled=ignore_cancellation)

    def probe() -> None:
        memory.find_placement("m")
        memory.compute_retry_delay("cpu", "m")
        memory.begin_trial("cpu", "m")
        memory.end_trial("cpu", {"ok": True}, "m")
        memory.cancel_trial("cpu", "m")

    def recollect() -> None:
        store = FileFactCache("digests.json")
        store.find_value(find_settings_path())
        store.store_value(find_settings_path(), "x")
        store.save_cache()

    return [
        OwnFile(
            "accepted",
            find_acceptance_file(),
            lambda: [is_accepted(VoiceLicence(VOICE, "", "be kind")), record_acceptance(VoiceLicence("b", "", "x"))],
        ),
        OwnFile("probe", find_data_dir() / "cache" / "probe.json", probe),
        OwnFile("digests", remembered, recollect),
        OwnFile("request", request, take_requests),
        OwnFile("sidecar", find_downloads_dir() / f"{key}.json", recall),
    ]


def _of_models() -> list[OwnFile]:
    voice, bert = make_voice(VOICE), find_data_dir() / "bert" / BERT
    shutil.copytree(paths.find_resources_dir() / "bert" / "starter", bert)
    facts = json.loads((bert / "bert.json").read_text(encoding="utf-8"))
    write_json(bert / "bert.json", facts | {"id": BERT})
    store, source = GraphStore(find_data_dir() / "cache" / "graphs", smallest_bytes=0), find_data_dir() / "cache" / "graph.onnx"
    source.write_bytes(b"graph")

    def write(folder: Path) -> None:
        for name in (OPTIMIZED_GRAPH_NAME, OPTIMIZED_WEIGHTS_NAME):
            (folder / name).write_bytes(WEIGHTS)

    copy = store.find_or_write_copy(source, "", write)
    assert copy is not None
    roots = [find_data_dir() / "voices"]
    return [
        OwnFile("voice", voice / "voice.json", lambda: [list_installed_voices(roots), list_damaged_voices(roots), read_manifest(voice)]),
        OwnFile("card", voice / "card.json", lambda: read_card(voice)),
        OwnFile("bert", bert / "bert.json", lambda: [list_installed_berts([bert.parent]), read_bert(bert)]),
        OwnFile("graph copy", copy.parent / "record.json", lambda: store.find_or_write_copy(source, "", write)),
    ]
