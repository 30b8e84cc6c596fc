"""Files of ours that are damaged stop no command: the user is told once, what they held is kept, and everything goes on."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.adapters import probe_results
from app.adapters.openjtalk.mecab_words import forget_user_lexicon
from app.adapters.user_dictionary import find_dictionary_path, load_dictionary
from app.cli.main import main
from app.common.files import whole_files
from app.common.files.paths import find_data_dir
from app.common.user_notices import set_notice_handler
from app.compose.disk_stores import open_probe_memory
from app.install.voice_licence import VoiceLicence, find_acceptance_file, is_accepted, record_acceptance
from app.settings.user_settings import find_settings_path
from app.voices.file_fact_cache import FileFactCache, compute_file_digest, compute_file_digests


def _word(**values: object) -> str:
    return json.dumps({"version": 1, "entries": [{"surface": "声", "reading": "コエ"}, {"surface": "箱", "reading": "ハコ"} | values]})


DICTIONARIES = [
    '{"version": 1, "entries": [null]}',
    '{"version": 1, "entries": [["声", "コエ"]]}',
    '{"version": 1, "entries": [{"surface": "声", "reading": "コエ", "accent": 1e400}]}',
    '{"version": 1, "entries": [{"surface": "声", "reading": "コエ", "accent": ' + "9" * 5000 + "}]}",
    '{"version": 1, "entries": {}}',
    '{"version": [1], "entries": []}',
    _word(priority=[]),
    _word(priority={}),
    _word(priority=True),
    _word(priority=1.5),
    _word(accent="x"),
    _word(accent=-1),
    _word(surface=5),
    _word(surface=["箱"]),
    _word(reading=None),
    _word(reading="ハ" * 100_000),
    _word(kind=[]),
    "[" * 100_000,
    '{"a":' * 100_000,
    "",
    "\0" * 100,
]


@pytest.fixture(autouse=True)
def _forget() -> Iterator[None]:
    find_data_dir().mkdir(parents=True)
    forget_user_lexicon()
    yield
    forget_user_lexicon()
    set_notice_handler(None)


@pytest.mark.parametrize("content", DICTIONARIES, ids=range(len(DICTIONARIES)))
def test_what_this_version_could_not_have_written_is_no_dictionary(content: str) -> None:
    find_dictionary_path().write_text(content, encoding="utf-8")
    words, error = load_dictionary()
    assert words == ()
    assert error is not None
    assert error.backup is not None
    assert error.backup.read_text(encoding="utf-8") == content


@pytest.mark.parametrize("content", [DICTIONARIES[0], DICTIONARIES[6], DICTIONARIES[-3]], ids=["null", "list", "nested"])
def test_a_damaged_dictionary_stops_nothing(
    content: str, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    find_dictionary_path().write_text(content, encoding="utf-8")
    (tmp_path / "texts").write_text("声箱です\n箱\n", encoding="utf-8")
    with (tmp_path / "texts").open(encoding="utf-8") as file, monkeypatch.context() as piped:
        piped.setattr("sys.stdin", file)
        assert main(["g2p"]) == 0
    told = capsys.readouterr()
    assert [json.loads(line)["reading"] for line in told.out.splitlines()] == ["コエバコデス", "ハコ"]
    assert told.err.count("The user dictionary cannot be read. (its content is damaged)") == 1
    copy = find_dictionary_path().with_name("dictionary.json.unreadable")
    assert str(copy) in told.err
    assert copy.read_text(encoding="utf-8") == content

    assert main(["doctor", "--only", "dictionary", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["checks"][0]["status"] == "warn"
    assert main(["dict", "list"]) == 2
    assert "cannot be read" in capsys.readouterr().err
    assert main(["dict", "add", "声", "こえ"]) == 0
    assert str(copy) in capsys.readouterr().err
    assert main(["dict", "list"]) == 0
    assert capsys.readouterr().out == "声\tコエ\t0\tproper_noun\t5\n"
    assert copy.read_text(encoding="utf-8") == content
    assert sorted(item.name for item in find_data_dir().glob("dictionary.json*")) == ["dictionary.json", "dictionary.json.unreadable"]


def test_speaking_goes_on_without_the_words_and_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    find_dictionary_path().write_text(DICTIONARIES[0], encoding="utf-8")
    find_settings_path().write_text('{"speed": "fast"}', encoding="utf-8")
    assert main(["speak", "はい。", "-o", str(tmp_path / "a.wav"), "--json"]) == 0
    told = capsys.readouterr()
    assert json.loads(told.out.splitlines()[-1])["type"] == "report"
    assert told.err.count("dictionary cannot be read") == 1
    assert told.err.count("Some settings could not be read") == 1
    assert (find_data_dir() / "settings.json.unreadable").exists()


def test_a_dictionary_that_can_neither_be_read_nor_kept_is_not_overwritten(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """As where another program holds it open under Windows."""

    def refuse(*_arguments: object) -> None:
        raise PermissionError(13, "in use")

    assert main(["dict", "add", "声箱", "こえばこ"]) == 0
    content = find_dictionary_path().read_bytes()
    with monkeypatch.context() as locked:
        locked.setattr(whole_files, "read_bounded", refuse)
        locked.setattr(Path, "rename", refuse)
        assert main(["dict", "add", "箱", "はこ"]) == 2
    assert "permission denied" in capsys.readouterr().err
    assert find_dictionary_path().read_bytes() == content


@pytest.mark.parametrize("content", ["{}", "[" * 100_000, '[null, 1, {"id": []}]', "NaN", '"x"'])
def test_licences_are_asked_for_again_and_what_was_noted_is_kept(content: str, capsys: pytest.CaptureFixture[str]) -> None:
    licence = VoiceLicence("mei", "Mei", "Be kind.")
    told: list[str] = []
    set_notice_handler(lambda error: told.append(error.message))
    find_acceptance_file().write_text(content, encoding="utf-8")
    assert not is_accepted(licence)
    record_acceptance(licence)
    assert is_accepted(licence)
    if content != '[null, 1, {"id": []}]':  # which is a list of nothing that is known
        assert told == ["The record of accepted licences could not be read, so you will be asked again. (its content is damaged)"]
        assert find_acceptance_file().with_name("accepted.json.unreadable").read_text(encoding="utf-8") == content


CACHES = ["", "[]", "{", "[" * 100_000, '{"a": 1}', '{"a": [1]}', '{"a": [1, 2, 3]}', '{"a": {"chosen": 5, "trials": {"cpu": 1}}}']


@pytest.mark.parametrize("content", CACHES)
def test_damaged_caches_are_only_forgotten(content: str, tmp_path: Path) -> None:
    (find_data_dir() / "cache").mkdir()
    for name in ("probe.json", "digests.json"):
        (find_data_dir() / "cache" / name).write_text(content, encoding="utf-8")
    file = tmp_path / "a"
    file.write_bytes(b"a")
    assert open_probe_memory().find_trials("a") == {}
    assert open_probe_memory().find_placement("a") is None
    assert compute_file_digests([file]) == [compute_file_digest(file)]
    assert FileFactCache("digests.json").find_value(file) == compute_file_digest(file)


def test_digests_that_are_none_are_taken_anew(tmp_path: Path) -> None:
    file = tmp_path / "a"
    file.write_bytes(b"a")
    for value in ("x", "0" * 63, None, 5):
        known = FileFactCache("digests.json")
        known.store_value(file, value)
        known.save_cache()
        assert compute_file_digests([file]) == [compute_file_digest(file)]


def test_commands_go_on_with_damaged_caches(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (find_data_dir() / "cache").mkdir()
    for name in ("probe.json", "digests.json", "precision.json", "aivisspeech.json"):
        (find_data_dir() / "cache" / name).write_text("[" * 100_000, encoding="utf-8")
    for arguments in (["speak", "はい。", "-o", str(tmp_path / "a.wav")], ["voices", "list", "--json"], ["backends", "--json"]):
        assert main(arguments) == 0
        assert "unreadable" not in capsys.readouterr().err


@pytest.mark.parametrize(
    "entry",
    [
        {"chosen": "quantum"},
        {"chosen": "cpu:99999999999999999999"},
        {"chosen": "bert=;=;="},
        {"trials": {"cpu": {"failures": -5, "at": "x", "line": {"total_ms": "x", "first_audio_ms": []}}}},
        {"trials": {"cpu": {"failures": True, "at": 1e308, "line": {"reason": {}, "ok": 5}}, "\ud800": {"line": {"adapter": None}}}},
        {"trials": {"cpu": {"failures": 10**18, "at": -1.0, "line": {"ran_on": [], "trace": "x", "group_ms": {"bert": None}}}}},
    ],
)
def test_a_probe_memory_of_nonsense_chooses_nothing(
    entry: dict[str, object], capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(probe_results, "_compute_key", lambda _models: "known")
    (find_data_dir() / "cache").mkdir()
    (find_data_dir() / "cache" / "probe.json").write_text(json.dumps({"known": entry}), encoding="utf-8")
    assert main(["speak", "はい。", "-o", str(tmp_path / "a.wav")]) == 0
    assert main(["backends", "--json"]) == 0
    assert main(["doctor", "--only", "backends"]) == 0
    for place in ("cpu", "cuda"):
        assert 0 <= open_probe_memory().compute_retry_delay(place) <= 30 * 24 * 3600
    open_probe_memory().begin_trial("cpu")
    open_probe_memory().end_trial("cpu", {}, "x")
