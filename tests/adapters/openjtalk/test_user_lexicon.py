"""Taught words in the real front end, with MeCab's own compiler."""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pyopenjtalk
import pytest

from app.adapters.openjtalk import compiled_dictionary, mecab_words
from app.adapters.openjtalk.compiled_dictionary import MAX_COMPILED_DICTIONARIES, ensure_compiled_dictionary, format_mecab_rows
from app.adapters.openjtalk.mecab_words import forget_user_lexicon
from app.adapters.openjtalk.openjtalk_g2p import OpenJTalkG2P
from app.adapters.openjtalk.user_lexicon import build_user_lexicon
from app.adapters.user_dictionary import change_dictionary, find_dictionary_path
from app.common.errors import InternalError
from app.common.files.paths import find_data_dir
from app.common.files.private_data_dir import make_private_folder
from app.common.processes import launch
from app.core.synthesis_types import ReadingOverride
from app.core.text.dictionary_entries import DictionaryEntry, make_entry
from tests.folder_names import FOLDER_NAMES

ROOT = Path(__file__).parents[3]
G2P = OpenJTalkG2P()
Teach = Callable[..., None]


def compile_here(_option: str, source: Path, made: Path, **_: float) -> subprocess.CompletedProcess[bytes]:
    """What the child does, without the second that a process takes to start; what it prints is caught here as everything else."""
    pyopenjtalk.mecab_dict_index(str(source), str(made))
    return subprocess.CompletedProcess([], 0)


@pytest.fixture
def teach(monkeypatch: pytest.MonkeyPatch) -> Iterator[Teach]:
    """Makes these words the dictionary; afterwards there is none."""
    monkeypatch.setattr(compiled_dictionary, "run_own_program", compile_here)
    yield from teaching()


@pytest.fixture
def teach_by_a_child() -> Iterator[Teach]:
    """The same as the program does it."""
    yield from teaching()


def teaching() -> Iterator[Teach]:
    def teach(*words: DictionaryEntry) -> None:
        change_dictionary(lambda _: words)
        forget_user_lexicon()

    forget_user_lexicon()
    yield teach
    forget_user_lexicon()


def test_a_word_has_its_reading_and_its_accent_everywhere(teach_by_a_child: Teach) -> None:
    before = G2P.convert_sentence("檜箱庵に行く。")
    teach_by_a_child(make_entry("檜箱庵", "ヒノバコアン", 3))
    after = G2P.convert_sentence("檜箱庵に行く。")
    assert after.reading == "ヒノバコアンニイク" != before.reading
    assert after.tones[1:12] == (0, 0, 1, 1, 1, 1, 0, 0, 0, 0, 0)  # h i n o b a k o a N n: the fall comes behind バ
    assert G2P.convert_sentence("新檜箱庵").reading.endswith("ヒノバコアン")
    teach_by_a_child()
    assert G2P.convert_sentence("檜箱庵に行く。") == before


def test_a_word_stays_out_of_longer_ones_unless_it_has_priority(teach: Teach) -> None:
    teach(make_entry("風", "フー", 1, "noun", priority=3))
    assert G2P.convert_sentence("台風が来た。").reading == "タイフーガキタ"
    teach(make_entry("来た台", "キタノダイ", 0, "noun", priority=10))
    assert "キタノダイ" in G2P.convert_sentence("風が来た台風").reading


def test_letters_and_digits_are_taught_as_well(teach: Teach) -> None:
    text = "AIのＡＩとAIRと4Kの100円玉。"
    teach(make_entry("AI", "アイ", 1), make_entry("4K", "ヨンケー", 3), make_entry("100円玉", "ヒャクダマ", 2))
    phones = G2P.convert_sentence(text)
    assert phones.reading == "アイノアイトエアートヨンケーノヒャクダマ"
    assert sum(phones.word2ph) == len(phones.phones)
    assert "AI" in phones.text  # what the BERT reads is what is written


def test_what_a_line_says_of_a_word_comes_first(teach: Teach) -> None:
    teach(make_entry("AI", "アイ", 1), make_entry("声箱", "コエバコ"))
    readings = (ReadingOverride("AI", "エーアイ"), ReadingOverride("声箱", "セーソー", 1))
    assert G2P.convert_sentence("AIの声箱", readings).reading == "エーアイノセーソー"


@pytest.mark.parametrize(
    ("kind", "text"), [("suffix", "田中丸箱"), ("verb", "それを丸箱。"), ("adjective", "丸箱家"), ("noun", "丸箱です")]
)
def test_every_kind_is_found(teach: Teach, kind: str, text: str) -> None:
    teach(make_entry("丸箱", "ガンポコ", 0, kind))
    assert "ガンポコ" in G2P.convert_sentence(text).reading


def test_marks_and_rare_letters_do_no_harm(teach: Teach) -> None:
    words = [
        make_entry(surface, "アレ") for surface in ('箱"庵', "箱,庵", "箱・庵", "箱！庵", "𠮷野家", "🍣", "〜", "a", "々", "'", "箱 庵")
    ]
    teach(*words)
    for word in words:
        assert "アレ" in G2P.convert_sentence(f"これは{word.surface}だ。").reading, word.surface


def test_a_sign_is_no_other_way_to_write_what_it_stands_for(teach: Teach) -> None:
    teach(make_entry("②", "マルニ"), make_entry("㈱", "カブ"), make_entry("½", "ハンブン"), make_entry("℃", "シー"))
    assert G2P.convert_sentence("②は2階の20番、2.5です。").reading == "マルニワニカイノニジューバンニーテンゴデス"
    assert G2P.convert_sentence("㈱山田は株式会社です。").reading == "カブヤマダワカブシキガイシャデス"
    teach(make_entry("言ふ", "イフ"), make_entry("½", "ハンブン"), make_entry("℃", "シー"))
    assert G2P.convert_sentence("言ふは言う。").reading == "イフワイウ"
    assert G2P.convert_sentence("½は二分の一、20℃は20度。").reading == "ハンブンワニブンノイチニジューシーワニジュード"


def test_a_changed_dictionary_is_compiled_once_and_old_ones_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KOEBAKO_HOME", str(tmp_path / "山田 太郎"))
    first = ensure_compiled_dictionary([make_entry("声箱", "コエバコ")])
    written = first.stat().st_mtime_ns
    assert ensure_compiled_dictionary([make_entry("声箱", "コエバコ")]) == first
    assert first.stat().st_mtime_ns == written
    second, third = (ensure_compiled_dictionary([make_entry("声箱", "コエバコ", accent)]) for accent in (1, 2))
    assert set(first.parent.iterdir()) == {second, third}


@pytest.mark.parametrize("name", FOLDER_NAMES)
def test_words_are_read_from_a_folder_of_any_name(teach: Teach, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KOEBAKO_HOME", str(tmp_path / name))
    teach(make_entry("檜箱庵", "ヒノバコアン", 3))
    assert G2P.convert_sentence("檜箱庵").reading == "ヒノバコアン"


def test_words_are_read_where_no_copy_can_be_kept(teach: Teach) -> None:
    in_its_place = find_data_dir() / "cache" / "dictionary"
    make_private_folder(in_its_place.parent)
    in_its_place.write_text("a file", encoding="utf-8")
    teach(make_entry("檜箱庵", "ヒノバコアン", 3))
    assert G2P.convert_sentence("檜箱庵").reading == "ヒノバコアン"
    assert in_its_place.read_text(encoding="utf-8") == "a file"


def test_a_damaged_copy_is_made_again(teach: Teach) -> None:
    """MeCab checks a file's length only, and follows damaged numbers out of its memory."""
    teach(make_entry("檜箱庵", "ヒノバコアン", 3))
    made = build_user_lexicon([make_entry("檜箱庵", "ヒノバコアン", 3)]).file
    assert made is not None
    whole = made.read_bytes()
    for damaged in (whole[:-1], b"", whole[:200] + bytes([whole[200] ^ 0xFF]) + whole[201:]):
        made.write_bytes(damaged)
        forget_user_lexicon()
        assert G2P.convert_sentence("檜箱庵").reading == "ヒノバコアン"
        assert made.read_bytes() == whole


def test_a_dictionary_that_does_not_open_is_told(teach: Teach, monkeypatch: pytest.MonkeyPatch) -> None:
    teach(make_entry("檜箱庵", "ヒノバコアン", 3))
    monkeypatch.setattr(mecab_words, "build_userdic_arguments", lambda _: {"userdic": b"nowhere.dic"})
    with pytest.raises(InternalError, match="pronunciation dictionary could not be opened") as told:
        G2P.convert_sentence("檜箱庵")
    assert ".dic" in told.value.hint


def test_without_words_to_analyse_nothing_is_compiled() -> None:
    ready = build_user_lexicon([make_entry("AI", "アイ")])
    assert ready.file is None
    assert ready.written.find_words("AI")


def test_a_compiler_that_fails_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(launch, "build_cli_command", lambda: [sys.executable, "-c", "raise SystemExit('no room')"])
    with pytest.raises(InternalError, match=r"could not be prepared. \(no room\)"):
        ensure_compiled_dictionary([make_entry("声箱", "コエバコ", 2)])


def test_a_broken_file_is_told_and_kept_and_reading_goes_on(teach: Teach, caplog: pytest.LogCaptureFixture) -> None:
    teach()
    find_dictionary_path().parent.mkdir(parents=True, exist_ok=True)
    find_dictionary_path().write_text("{", encoding="utf-8")
    forget_user_lexicon()
    for _ in range(2):
        assert G2P.convert_sentence("声").reading == "コエ"
    assert [message[:40] for message in caplog.messages] == ["The user dictionary cannot be read. (its"]
    assert ".unreadable" in caplog.messages[0]
    words, error = change_dictionary(lambda words: (*words, make_entry("声箱", "コエバコ")))
    assert error is not None
    assert len(words) == 1
    assert find_dictionary_path().with_name("dictionary.json.unreadable").read_text(encoding="utf-8") == "{"


def test_the_compiler_runs_by_itself(tmp_path: Path) -> None:
    source, made = tmp_path / "語.csv", tmp_path / "語.dic"
    source.write_text(format_mecab_rows([make_entry("声箱", "コエバコ")]), encoding="utf-8")
    command = [sys.executable, str(ROOT / "main.py"), "--dictionary", str(source), str(made)]
    assert subprocess.run(command, capture_output=True, timeout=120).returncode == 0
    assert made.stat().st_size > 0
    failed = subprocess.run([*command[:-2], str(tmp_path / "none.csv"), str(made)], capture_output=True, timeout=120)
    assert failed.returncode == 70
    assert b"none.csv" in failed.stderr


def test_a_clock_that_was_set_back_takes_no_new_word_away(teach: Teach) -> None:
    for number, word in enumerate(("檜箱庵", "杉箱庵", "桐箱庵", "樫箱庵")):
        teach(make_entry(word, "ヒノバコアン", 3))
        assert G2P.convert_sentence(word).reading == "ヒノバコアン"
        made = sorted((find_dictionary_path().parent / "cache" / "dictionary").glob("*.dic"))
        assert len(made) == min(number + 1, MAX_COMPILED_DICTIONARIES)
        for file in made:
            os.utime(file, (time.time() + 86_400,) * 2)


def test_the_users_words_win_against_the_built_in_ones_and_against_rules(teach: Teach) -> None:
    assert G2P.convert_sentence("四月一日さんとGmail").reading == "ワタヌキサントジーメール"
    assert G2P.convert_sentence("麻婆豆腐が辛い").reading == "マーボードーフガカライ"
    teach(make_entry("四月一日", "シガツイッピ", 4), make_entry("Gmail", "ゲーマイル", 1), make_entry("辛い", "ツライ", 2, priority=10))
    assert G2P.convert_sentence("四月一日さんとGmail").reading == "シガツイッピサントゲーマイル"
    assert G2P.convert_sentence("麻婆豆腐が辛い").reading == "マーボードーフガツライ"


def test_ruby_wins_over_taught_words_and_knows_them(teach: Teach) -> None:
    teach(make_entry("月光", "ムーンライト"), make_entry("3D", "スリーデー"))
    assert G2P.convert_sentence("月光と月光《げっこう》と3Dと｜3D《みっつ》").reading == "ムーンライトトゲッコートスリーデートミッツ"
    assert G2P.convert_sentence("月光（むーんらいと）").reading == "ムーンライト", "a possible reading, as the user says"
