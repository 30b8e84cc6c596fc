"""Names of files: what a pattern gives, and that every file system takes them."""

from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.common.language import set_language
from app.core.script.script import Character, Line, LineSettings
from app.export.export_plan import (
    PlanContext,
    PlannedFile,
    build_numbered_lines,
    filter_writable,
    list_character_names,
    plan_files,
)
from app.export.export_settings import ExportSettings, FileGrouping, convert_settings_to_data, parse_settings_data
from app.export.safe_file_names import (
    FORBIDDEN_FILE_NAME_CHARS,
    SpeakerNames,
    build_token_values,
    describe_pattern_problem,
    fill_pattern,
    find_free_stem,
    fold_file_name,
    list_tokens,
    name_line_speaker,
    sanitise_stem,
    translate_pattern,
)
from app.voices.prepared_voice import NamedId, VoiceManifest

DAY = date(2026, 1, 31)
LINE = Line("今日は、とても良い天気ですね。", LineSettings(seed=7), id="abc")
WHO = SpeakerNames("声", "花子", "ノーマル")
CONTEXT = PlanContext("物語", lambda settings: SpeakerNames("声", settings.speaker or "花子", settings.style or "ノーマル"), DAY)


@pytest.mark.parametrize(
    ("pattern", "name"),
    [
        ("$連番$_$キャラ$（$スタイル$）_$テキスト$", "003_花子（ノーマル）_今日は、とても良い天"),
        ("$number$-$speaker$-$style$-$voice$", "003-花子-ノーマル-声"),
        ("$日付$_$プロジェクト名$", "20260131_物語"),
        ("$date$_$project$_$id$_$seed$", "20260131_物語_abc_7"),
        ("$連番$-$話者$-$スタイル$-$声$", "003-花子-ノーマル-声"),
        ("$日付$_$行ID$_$シード$", "20260131_abc_7"),
        ("$take$", "$take$"),
        ("$枝番$", "$take$"),
    ],
)
def test_tokens(pattern: str, name: str) -> None:
    assert describe_pattern_problem(pattern) == ""
    assert fill_pattern(pattern, build_token_values(LINE, 3, WHO, "物語", DAY)) == name


@pytest.mark.parametrize(
    ("pattern", "with_hero", "without"),
    [
        ("$number$_$character$_$id$", "003_勇者_abc", "003_abc"),
        ("$登場人物$-$id$", "勇者-abc", "abc"),
        ("$id$ ($character$)", "abc (勇者)", "abc"),
        ("$連番$（$登場人物$）$id$", "003（勇者）abc", "003abc"),
        ("$number$_$キャラ$_$character$", "003_花子_勇者", "003_花子"),
        ("$character$", "勇者", ""),
        ("a$character$b", "a勇者b", "ab"),
    ],
)
def test_the_character_and_what_separates_it(pattern: str, with_hero: str, without: str) -> None:
    assert describe_pattern_problem(pattern) == ""
    assert fill_pattern(pattern, build_token_values(LINE, 3, replace(WHO, character="勇者"), "物語", DAY)) == with_hero
    assert fill_pattern(pattern, build_token_values(LINE, 3, WHO, "物語", DAY)) == without


def test_characters_divide_files_and_lines_without_one_go_by_their_speaker(tmp_path: Path) -> None:
    hero, king = Character("勇者", id="h"), Character("王/様", id="k")
    lines = [Line(str(number), id=str(number), character=who) for number, who in enumerate(("h", "k", "h", ""))]
    context = replace(CONTEXT, characters=list_character_names((hero, king)))
    settings = ExportSettings(folder=str(tmp_path), pattern="$id$", files="character_folders")
    files = plan_files(build_numbered_lines(lines), settings, context)
    assert [item.file.relative_to(tmp_path).as_posix() for item in files] == ["勇者/0.wav", "王様/1.wav", "勇者/2.wav", "花子/3.wav"]
    assert [item.characters for item in files] == [("勇者",), ("王/様",), ("勇者",), ()]
    joined = plan_files(build_numbered_lines(lines), replace(settings, files="characters", pattern="$character$$speaker$"), context)
    assert [(item.file.stem, len(item.lines)) for item in joined] == [("勇者花子", 2), ("王様花子", 1), ("花子", 1)]


def test_every_token_has_a_name_in_both_languages(monkeypatch: pytest.MonkeyPatch) -> None:
    menus = {}
    for language in ("ja", "en"):
        monkeypatch.setenv("KOEBAKO_LANG", language)
        set_language(language)
        menus[language] = [label for label, _ in list_tokens()]
    set_language("en")
    assert all(describe_pattern_problem(label) == "" for labels in menus.values() for label in labels)
    assert all(label.strip("$").isascii() for label in menus["en"])
    assert not any(label.strip("$").isascii() for label in menus["ja"])
    values = build_token_values(LINE, 3, replace(WHO, character="勇者"), "物語", DAY)
    for ja, en in zip(menus["ja"], menus["en"], strict=True):
        assert fill_pattern(ja, values) == fill_pattern(en, values)
        assert translate_pattern(ja) == translate_pattern(en) == en
    assert translate_pattern("$連番$_$キャラ$ $what$ $") == "$number$_$speaker$ $what$ $"


CAST = (Character("勇者", id="h"), Character("王様", id="k"))


@pytest.mark.parametrize(
    ("files", "project", "expected"),
    [
        ("lines", "物語", ["001_勇者_行0", "002_花子_ノーマル_行1", "003_王様_行2"]),
        ("character_folders", "物語", ["勇者/001_勇者_行0", "花子/002_花子_ノーマル_行1", "王様/003_王様_行2"]),
        ("joined", "物語", ["物語"]),
        ("joined", "", ["行0"]),
        ("characters", "物語", ["物語_勇者", "物語_花子", "物語_王様"]),
        ("speakers", "", ["花子", "太郎"]),
    ],
)
def test_names_that_nobody_chose(tmp_path: Path, files: FileGrouping, project: str, expected: list[str]) -> None:
    speakers = ("花子", "花子", "太郎")
    script = [
        Line(f"行{row}", LineSettings(speaker=speaker), id=str(row), character=who)
        for row, (who, speaker) in enumerate(zip(("h", "", "k"), speakers, strict=True))
    ]
    context = replace(CONTEXT, project=project, characters=list_character_names(CAST))
    planned = plan_files(build_numbered_lines(script), ExportSettings(folder=str(tmp_path), files=files), context)
    assert [item.file.relative_to(tmp_path).with_suffix("").as_posix() for item in planned] == expected
    assert context.choose_pattern("lines", has_character=False) == "$number$_$speaker$_$style$_$text$"


@pytest.mark.parametrize(("pattern", "word"), [("", "Enter"), ("a$b", "closing"), ("$b$", "no item"), ("a/b", "“/”"), ("a\x07", "x07")])
def test_what_is_wrong_is_said(pattern: str, word: str) -> None:
    assert word in describe_pattern_problem(pattern)


@given(st.text(max_size=120))
def test_any_text_becomes_a_name_that_every_system_takes(text: str) -> None:
    name = sanitise_stem(fill_pattern("$text$$text$$text$", {"text": text}))
    assert name
    assert not FORBIDDEN_FILE_NAME_CHARS.search(name)
    assert len((name + " 99999.TextGrid").encode()) <= 255
    assert name == name.strip()
    assert name[0] != "."
    assert name[-1] != "."
    assert name.split(".")[0].casefold() not in {"con", "nul", "aux", "prn", "com1", "lpt9"}
    name.encode("utf-8")


@given(st.text(max_size=60))
def test_any_text_in_a_name_can_be_written(text: str) -> None:
    from tempfile import TemporaryDirectory

    with TemporaryDirectory() as folder:
        file = Path(folder) / f"{sanitise_stem(text)}.wav"
        file.write_bytes(b"")
        assert len(list(Path(folder).iterdir())) == 1


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("CON", "CON_"),
        ("nul.txt", "nul_.txt"),
        ("com1", "com1_"),
        ("a. ", "a"),
        ("..a", "a"),
        ("か\u3099", "が"),
        ("\u202ea", "a"),
        ("", "koebako"),
    ],
)
def test_names_with_a_meaning_of_their_own(text: str, name: str) -> None:
    assert sanitise_stem(text) == name


@given(st.lists(st.text("aAbBéÉ\u0301.", max_size=4), max_size=30))
def test_no_two_names_are_one_for_any_file_system(stems: list[str]) -> None:
    taken: set[str] = set()
    for stem in stems:
        name = find_free_stem(stem, "x", taken, lambda _name: False)
        assert fold_file_name(name) not in taken
        taken.add(fold_file_name(name))


def test_a_take_counts_up_even_where_the_name_is_cut() -> None:
    assert find_free_stem("a_$take$", "x", {fold_file_name("a_1")}, lambda name: name == "a_2") == "a_3"
    long = "あ" * 200 + "$take$"
    first = find_free_stem(long, "x", set(), lambda _name: False)
    assert find_free_stem(long, "x", {fold_file_name(first)}, lambda _name: False) != first


def lines(*speakers: str) -> tuple[Line, ...]:
    return tuple(Line(f"行{number}", LineSettings(speaker=speaker), id=str(number)) for number, speaker in enumerate(speakers, 1))


def names(files: list[PlannedFile], root: Path) -> list[str]:
    return [item.file.relative_to(root).as_posix() for item in files]


def test_which_lines_go_into_which_files(tmp_path: Path) -> None:
    script = build_numbered_lines((*lines("A", "B"), Line(" "), *lines("A")))
    settings = ExportSettings(folder=str(tmp_path), pattern="$number$_$speaker$")

    def planned(**changes: object) -> list[PlannedFile]:
        return plan_files(script, ExportSettings(**{**{"folder": settings.folder, "pattern": settings.pattern}, **changes}), CONTEXT)  # type: ignore[arg-type]

    assert names(planned(), tmp_path) == ["001_A.wav", "002_B.wav", "004_A.wav"]
    assert names(planned(files="speaker_folders", sound="mp3"), tmp_path) == ["A/001_A.mp3", "B/002_B.mp3", "A/004_A.mp3"]
    assert names(planned(files="speakers"), tmp_path) == ["001_A.wav", "002_B.wav"]
    assert [len(item.lines) for item in planned(files="speakers")] == [2, 1]
    assert [len(item.lines) for item in planned(files="joined")] == [3]
    assert names(planned(game="renpy", sound="ogg"), tmp_path) == ["1.ogg", "2.ogg", "1 2.ogg"]


def test_existing_files_by_policy(tmp_path: Path) -> None:
    (tmp_path / "1.WAV").write_bytes(b"")
    script = build_numbered_lines(lines("A", "B"))

    def planned(policy: str) -> tuple[list[str], int, int]:
        settings = ExportSettings(folder=str(tmp_path), pattern="$id$", existing=policy)  # type: ignore[arg-type]
        files = plan_files(script, settings, CONTEXT)
        return names(files, tmp_path), sum(item.already_exists for item in files), len(filter_writable(files, settings))

    assert planned("skip") == (["1.wav", "2.wav"], 1, 1)
    assert planned("ask") == (["1.wav", "2.wav"], 1, 1)
    assert planned("replace") == (["1.wav", "2.wav"], 1, 2)
    assert planned("number") == (["1 2.wav", "2.wav"], 0, 2)


def test_settings_survive_as_data_and_others_are_refused() -> None:
    settings = ExportSettings(sound="flac", sidecars=("lab", "json"), loudness=-19.5, files="joined", stereo=True, rate=48_000)
    assert parse_settings_data(convert_settings_to_data(settings)) == settings
    assert convert_settings_to_data(ExportSettings()) == {}
    assert parse_settings_data({"later": 1}) == ExportSettings()
    wrong: list[dict[str, object]] = [
        {"sound": "exe"}, {"rate": 1}, {"rate": True}, {"loudness": 0}, {"loudness": "x"}, {"loudness": float("nan")}, {"loudness": True}, {"sidecars": ["doc"]}, {"sidecars": "lab"},
        {"folder": 3}, {"pattern": "a" * 500}, {"stereo": 1}, {"subtype": ["16"]}, {"what": None},
    ]  # fmt: skip
    for data in wrong:
        with pytest.raises(ValueError, match=next(iter(data))):
            parse_settings_data(data)


def test_names_have_no_notation() -> None:
    line = Line("{薔薇|ばら}の花[明るく]が咲く｜丘《おか》", LineSettings(memos=True))
    assert build_token_values(line, 1, WHO, "", DAY)["text"] == "薔薇の花が咲く丘"


@pytest.mark.parametrize(
    ("tongue", "settings", "names"),
    [
        ("ja", LineSettings(style="Happy"), SpeakerNames("Kokoro", "女声1", "喜び")),
        ("ja", LineSettings(speaker="Male 1"), SpeakerNames("Kokoro", "男声1", "ノーマル")),
        ("en", LineSettings(speaker="Male 1"), SpeakerNames("Kokoro", "Male 1", "Neutral")),
        ("ja", LineSettings(speaker="Male 1", style="混声"), SpeakerNames("Kokoro", "Kokoro", "混声")),
    ],
)
def test_files_name_who_speaks_in_the_language_of_the_user(
    monkeypatch: pytest.MonkeyPatch, tongue: str, settings: LineSettings, names: SpeakerNames
) -> None:
    monkeypatch.setattr("app.common.language._current", tongue)
    speakers = (NamedId(0, "Female 1"), NamedId(1, "Male 1"))
    styles = (NamedId(0, "Neutral"), NamedId(1, "混声" if settings.style == "混声" else "Happy"))
    kind = "kokoro" if settings.style == "混声" else "sbv2"
    info = VoiceManifest("kokoro", "Kokoro", "kokoro", "", 24000, 300, speakers, styles, {}, architecture=kind)
    assert name_line_speaker(settings, info) == names
    assert (info.speakers[0].name, info.styles[0].name) == ("Female 1", "Neutral"), "what clients and projects know stays as it is"
