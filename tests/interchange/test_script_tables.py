"""Tables and texts as sources: columns, names, encodings, and what is said of the rest."""

import time
from pathlib import Path

import pytest

from app.common.errors import InputError
from app.common.language import set_language
from app.core.script.characters import MOST_CHARACTERS
from app.core.script.project import MAX_SCRIPT_LINES
from app.core.script.project_data import MOST_VOICES
from app.interchange import imported_script
from app.interchange.script_import import read_script_file
from app.interchange.script_tables import has_certain_columns, parse_table, recognise_columns

Rows = list[tuple[str, str, str]]


def rows_of(file: Path, **columns: str) -> Rows:
    """Id where the file gave one, text, who."""
    lines = read_script_file(file, columns).project.script.lines
    return [(line.id if len(line.id) != 12 else "", line.text, line.settings.voice) for line in lines]


def written(folder: Path, name: str, text: str, encoding: str = "utf-8") -> Path:
    file = folder / name
    file.write_bytes(text.encode(encoding))
    return file


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp932", "utf-16"])
def test_a_table_in_the_encodings_of_japan(tmp_path: Path, encoding: str) -> None:
    file = written(tmp_path, "a.csv", 'id,セリフ,キャラ,話速,memo\nl1,"はい、そう",花子,1.2,x\nl2,いいえ,太郎,,\n', encoding)
    imported = read_script_file(file)
    assert rows_of(file) == [("l1", "はい、そう", "花子"), ("l2", "いいえ", "太郎")]
    assert imported.project.script.lines[0].settings.speed == 1.2
    assert [(one.name, one.voice, one.speaker) for one in imported.project.assignments] == [("花子", "", "花子"), ("太郎", "", "太郎")]
    names = {one.id: one.name for one in imported.project.script.cast}
    assert [names[line.character] for line in imported.project.script.lines] == ["花子", "太郎"]
    assert len(imported.losses) == 1
    assert "memo" in imported.losses[0]


def test_columns_by_other_names(tmp_path: Path) -> None:
    file = written(tmp_path, "a.csv", "Who;Words;Nr\n花子;はい、そう;1\n")
    assert rows_of(file, text="words", speaker="Who", id="Nr") == [("1", "はい、そう", "花子")]


@pytest.mark.parametrize("columns", [{"text": "nowhere"}, {"txet": "Words"}])
def test_columns_that_there_are_not(tmp_path: Path, columns: dict[str, str]) -> None:
    file = written(tmp_path, "a.csv", "Who,Words\n花子,はい\n")
    with pytest.raises(InputError):
        read_script_file(file, columns)


def test_all_settings_of_a_line(tmp_path: Path) -> None:
    file = written(
        tmp_path,
        "a.tsv",
        "text\tvoice\tspeaker\tstyle\tpre_silence\tpost_silence_s\tseed\tpause\tassist\tlatin\tvolume\nはい\tv\ts\tst\t0.5\t0.25\t7\t、=0.2 。=0.5\tやあ\tEnglish\t1,5\n",
    )
    settings = read_script_file(file).project.script.lines[0].settings
    assert (settings.voice, settings.speaker, settings.style, settings.seed, settings.assist_text) == ("v", "s", "st", 7, "やあ")
    assert (settings.pre_silence_s, settings.post_silence_s, settings.volume) == (0.5, 0.25, 1.5)
    assert settings.pauses == ((",", 0.2), (".", 0.5))
    assert settings.latin == "english"


@pytest.mark.parametrize(
    ("cell", "reading", "lost"), [("英語", "english", 0), ("カタカナ", "katakana", 0), ("", "katakana", 0), ("ラテン語", "katakana", 1)]
)
def test_the_reading_of_latin_letters_has_a_column(tmp_path: Path, cell: str, reading: str, lost: int) -> None:
    imported = read_script_file(written(tmp_path, "a.csv", f"text,英字の読み方\nHello,{cell}\n"))
    assert imported.project.script.lines[0].settings.latin == reading
    assert len(imported.losses) == lost


@pytest.mark.parametrize("cell", ["9e99", "nan", "-1", "inf", "quick", "1" * 5000])
def test_values_that_cannot_be_used_are_counted(tmp_path: Path, cell: str) -> None:
    imported = read_script_file(written(tmp_path, "a.csv", f"text,speed\nはい,{cell}\n"))
    assert imported.project.script.lines[0].settings.speed == 1.0
    assert len(imported.losses) == 1


def test_ids_are_kept_where_they_are_fit(tmp_path: Path) -> None:
    file = written(tmp_path, "a.csv", f"id,text\nsame,a\nsame,b\n\u202eevil,c\n{'x' * 300},d\n,e\n")
    lines = read_script_file(file).project.script.lines
    assert lines[0].id == "same"
    assert len({line.id for line in lines}) == 5
    assert all(len(line.id) == 12 for line in lines[1:])


def test_the_dialogue_of_renpy(tmp_path: Path) -> None:
    file = written(
        tmp_path,
        "dialogue.tab",
        'Identifier\tCharacter\tDialogue\tFilename\tLine Number\tRen\'Py Script\nstart_1\tEileen\t"Hello, there.\tscript.rpy\t3\te "[what]"\nstart_2\t\tはい。\tscript.rpy\t4\tx\n',
    )
    assert rows_of(file) == [("start_1", '"Hello, there.', "Eileen"), ("start_2", "はい。", "")]


def test_the_strings_of_yarn(tmp_path: Path) -> None:
    file = written(
        tmp_path, "strings.csv", "language,id,text,file,node,lineNumber,lock,comment\nja,line:0e3dc4b17,こんにちは。,a.yarn,Start,3,x,\n"
    )
    assert rows_of(file) == [("line:0e3dc4b17", "こんにちは。", "")]


def test_our_own_names_of_columns_come_before_others(tmp_path: Path) -> None:
    assert rows_of(written(tmp_path, "a.csv", "line,name,text,speaker\n1,x,はい,花子\n")) == [("", "はい", "花子")]


def test_tables_without_a_header(tmp_path: Path) -> None:
    assert rows_of(written(tmp_path, "a.csv", "花子,はい\n太郎,いいえ\n")) == [("", "はい", "花子"), ("", "いいえ", "太郎")]
    assert rows_of(written(tmp_path, "b.csv", "はい\nいいえ\n")) == [("", "はい", ""), ("", "いいえ", "")]
    assert rows_of(written(tmp_path, "c.csv", "はい,2,3\n,いいえ,4\n")) == [("", "はい", ""), ("", "いいえ", "")]
    assert not has_certain_columns(parse_table("c.csv", ".csv", b"a,b,c\nd,e,f\n", {}))
    assert has_certain_columns(parse_table("c.csv", ".csv", b"text,b,c\nd,e,f\n", {}))


def test_the_text_of_voicevox(tmp_path: Path) -> None:
    file = written(tmp_path, "a.txt", "ずんだもん（あまあま）,こんにちは、世界。\n\nはい、そうです。\n四国めたん（ノーマル）,はい\n")
    assert rows_of(file) == [
        ("", "こんにちは、世界。", "ずんだもん（あまあま）"),
        ("", "はい、そうです。", ""),
        ("", "はい", "四国めたん（ノーマル）"),
    ]


@pytest.mark.parametrize(
    ("header", "columns"),
    [
        ("ｷｬﾗ,ｾﾘﾌ", {"character": 0, "text": 1}),
        ("キャラクター名,日本語", {"character": 0, "text": 1}),
        ("発言者,内容", {"character": 0, "text": 1}),
        ("話者 名,原稿", {"speaker": 0, "text": 1}),
        ("スピーカー,字幕", {"speaker": 0, "text": 1}),
        ("Line_ID,Character Name,Message", {"id": 0, "text": 2}),
    ],
)
def test_headings_are_known_however_they_are_written(header: str, columns: dict[str, int]) -> None:
    table = parse_table("a.csv", ".csv", f"{header}\nあ,い,う\n".encode(), {})
    assert table.header
    assert recognise_columns(table.header) == columns


def test_one_known_heading_makes_the_first_row_one(tmp_path: Path) -> None:
    assert rows_of(written(tmp_path, "a.csv", "キャラ,せりふの欄\n太郎,こんにちは\n"))[0][1] == "こんにちは"


def test_names_before_a_comma(tmp_path: Path) -> None:
    file = written(tmp_path, "a.txt", "花子,はい\n太郎,いいえ\n花子,そう\n太郎,いや\n")
    assert [who for _, _, who in rows_of(file)] == ["花子", "太郎", "花子", "太郎"]
    once = written(tmp_path, "c.txt", "Mei,こんにちは。\nTohoku f01,おはよう、みんな。\n")
    assert [who for _, _, who in rows_of(once)] == ["Mei", "Tohoku f01"]
    prices = written(tmp_path, "d.txt", "1,200円です。\n3,400円です。\n")
    assert [who for _, _, who in rows_of(prices)] == ["", ""]
    prose = written(tmp_path, "b.txt", "Well,I said\nNo,never\n")
    assert [who for _, _, who in rows_of(prose)] == ["", ""]


def test_too_long_a_line_is_cut(tmp_path: Path) -> None:
    file = written(tmp_path, "a.csv", f"id,text,speaker\nl,{'あいう。' * 800},花子\n")
    lines = read_script_file(file).project.script.lines
    assert [len(line.text) for line in lines] == [2000, 1200]
    assert {line.settings.voice for line in lines} == {"花子"}


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.csv", b""),
        ("a.csv", b"text,voice\n"),
        ("a.csv", b'text\n"open'),
        ("a.csv", b"\x00\x01\x02"),
        ("a.csv", b'text\n"' + b"a" * 200_000 + b'"\n'),
        ("a.tab", b"\n\n"),
        ("a.txt", b"\x81\xff\xfe"),
        ("a.txt", b"a\n" * (MAX_SCRIPT_LINES + 1)),
        ("a.csv", b"a\n" * 1_000_000),
        ("a.docx", b"PK"),
        ("a.vvproj", b"PK"),
        ("a.koebako", b"{"),
    ],
)
def test_what_cannot_be_used_is_one_sentence(tmp_path: Path, name: str, data: bytes) -> None:
    set_language("ja")
    (tmp_path / name).write_bytes(data)
    with pytest.raises(InputError) as caught:
        read_script_file(tmp_path / name)
    assert "\n" not in caught.value.message


def test_no_file_and_too_large_a_file(tmp_path: Path) -> None:
    with pytest.raises(InputError):
        read_script_file(tmp_path / "none.csv")
    with (tmp_path / "a.txt").open("wb") as file:
        file.truncate(21 << 20)
    with pytest.raises(InputError):
        read_script_file(tmp_path / "a.txt")


def test_the_marks_of_markdown_are_left_out(tmp_path: Path) -> None:
    assert [text for _, text, _ in rows_of(written(tmp_path, "a.md", "# 題\n\n- 一つ\n> 三つ\n---\n本文です。-5 度。\n"))] == [
        "題",
        "一つ",
        "三つ",
        "本文です。-5 度。",
    ]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "cp932"])
@pytest.mark.parametrize(
    "text", ["sep=;\r\ntext;id\r\nはい、そう;1\r\n", "text\tid\r\nはい、そう\t1\r\n", '"sep=|"\ntext|id\n"はい、そう"|1\n']
)
def test_what_excel_writes(tmp_path: Path, encoding: str, text: str) -> None:
    assert rows_of(written(tmp_path, "a.csv", text, encoding)) == [("1", "はい、そう", "")]


def test_a_broken_row_costs_itself(tmp_path: Path) -> None:
    set_language("en")
    broken = 'text,speed\n一,1.2\n"二"つ,1\n"三\n行",9\n四,x\n"五,1\n六,y\n'
    imported = read_script_file(written(tmp_path, "a.csv", broken))
    assert [line.text for line in imported.project.script.lines] == ["一", "三 行", "四", "六"]
    assert imported.losses == (
        "Not imported: rows that are not valid CSV (2 lines: 3, 6).",
        "Not imported: values that cannot be used (Speed) (3 lines: 4, 5, 7).",
    )
    set_language("ja")
    assert "CSV として正しくない行は読み込みませんでした（2 行: 3、6 行目）。" in read_script_file(tmp_path / "a.csv").losses
    with pytest.raises(InputError) as caught:
        read_script_file(written(tmp_path, "b.csv", 'text\n"open'))
    assert "CSV として正しくない行は読み込みませんでした（2 行目）。" in caught.value.hint


def test_a_line_without_end_and_too_many_lines_are_refused_at_once(tmp_path: Path) -> None:
    set_language("en")
    began = time.process_time()
    for text in ("あ" * 1_500_000, "はい\n" * 200_000):
        with pytest.raises(InputError, match=r"too long|too many lines"):
            read_script_file(written(tmp_path, "a.txt", text))
    with pytest.raises(InputError, match="too many lines"):
        read_script_file(written(tmp_path, "a.csv", "text\n" + "はい\n" * 200_000))
    assert time.process_time() - began < 5


def test_as_many_names_as_a_project_holds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    set_language("en")
    assert MOST_VOICES >= MOST_CHARACTERS, "or it could not be opened again"
    monkeypatch.setattr(imported_script, "MOST_CHARACTERS", 2)
    rows = "text,speaker\nはい,花子\nはい,太郎\nはい,花子\n"
    assert len(read_script_file(written(tmp_path, "a.csv", rows)).project.assignments) == 2
    with pytest.raises(InputError, match="too many names"):
        read_script_file(written(tmp_path, "a.csv", rows + "はい,次郎\n"))
    with pytest.raises(InputError, match="too many speaking characters"):
        read_script_file(written(tmp_path, "a.csv", "text,voice,character\nはい,v,花子\nはい,v,太郎\nはい,v,次郎\n"))


def test_legend_and_colophon_of_aozora_bunko_are_left_out_and_said(tmp_path: Path) -> None:
    rule = "-" * 55
    legend = f"羅生門\n芥川龍之介\n\n{rule}\n【テキスト中に現れる記号について】\n\n《》：ルビ\n（例）下人《げにん》\n{rule}\n\n"
    colophon = "\n\n底本：「日本の昔話」文庫\n入力：山田\n青空文庫作成ファイル：\nこのファイルは、青空文庫で作られました。\n"
    imported = read_script_file(written(tmp_path, "a.txt", f"{legend}ある日の暮方の事である。\nおわり。{colophon}"))
    assert [line.text for line in imported.project.script.lines] == ["羅生門", "芥川龍之介", "ある日の暮方の事である。", "おわり。"]
    assert any("Aozora" in str(loss) for loss in imported.losses)
    kept = read_script_file(written(tmp_path, "b.txt", "底本：と言われた。\nおわり。\n"))
    assert len(kept.project.script.lines) == 2
