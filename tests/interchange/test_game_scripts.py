"""Scripts of Ren'Py and Yarn Spinner and dialogue in plain text: who says what, with which ids, and back again."""

import gzip
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.common.errors import InputError
from app.common.language import set_language
from app.core.script.characters import fold_character_name
from app.core.script.script import Character, Line, LineSettings, Script
from app.core.text.text_lines import split_lines
from app.interchange.dialogue_text import parse_dialogue
from app.interchange.script_import import read_script_file
from app.interchange.script_writers import write_script

Rows = list[tuple[str, str, str]]

RENPY = r"""
define s = Character(_("シルビー"), color="#c8ffc8")
define 2 m = Character("{b}僕{/b}")
$ k = Character(None, kind=nvl)
define d = DynamicCharacter("pname")
init python:
    g = Character('老人',
        color="#fff")
    text = "don't"  # it's "open
image bg = "a.png"
screen notes():
    text "画面の文字"
label rightaway:
    play music "illurock.opus"
    "Silence."  # "narration"
    m "Good..."
    s happy @ -sad "{rb}漢字{/rb}{rt}かんじ{/rt}は{w=1}[name]の\"そば\"。\n次 100%%【学校|がっこう】{{x}"  with fade
    "村人 A" "やあ　　 そこ"
    g '''
    一つ目は
    ここ。

    二つ目。
    '''
    extend "つづき"
    k "地の文"
    d 'んだ'
    r"raw\n"
    voice "a.ogg"
    s "声あり"
    s "名付き" id foo_1
    call other from _call_other
    menu _choice:
        "どうする？"
        s "Sure, but what's a \"visual novel?\""
        "はい" if x:
            m "選んだ"
        "いいえ":
            pass
    call other from after
    "Silence."
label rightaway2 hide:
    pass
label after.rightaway:
    show eileen happy:
        "eileen_1.png"
        pause 1.0
    m "Good..."
label rightaway:
    m "Good..."
    s "開いたまま
translate japanese start_abc:
    # m "x"
    m "訳"
translate japanese strings:
    old "a"
    new "い"
"""
RENPY_ROWS = [
    ("rightaway_16b8cb94", "", "Silence."),
    ("rightaway_f5f51c33", "僕", "Good..."),
    ("*", "シルビー", '{漢字|かんじ}は[name]の"そば"。 次 100%{学校|がっこう}{x}'),
    ("*", "村人 A", "やあ　　 そこ"),
    ("*", "老人", "一つ目は ここ。"),
    ("*", "老人", "二つ目。"),
    ("*", "老人", "つづき"),
    ("*", "", "地の文"),
    ("*", "d", "んだ"),
    ("*", "", r"raw\n"),
    ("", "シルビー", "声あり"),
    ("foo_1", "シルビー", "名付き"),
    ("rightaway_8cb5deeb", "シルビー", 'Sure, but what\'s a "visual novel?"'),
    ("*", "僕", "選んだ"),
    ("after_16b8cb94", "", "Silence."),
    ("after_rightaway_f5f51c33", "僕", "Good..."),
    ("rightaway_f5f51c33_1", "僕", "Good..."),
    ("start_abc", "僕", "訳"),
]
YARN = r"""title: Start
position: 1,2
---
// 注
<<declare $x = 1>>
花子: 今日は[b]晴れ[/b]だね。 #happy #line:0a1 // 注
    {$name}さん、\[重要\] 10\:30 に。 #line:0a2 <<if $x>>
-> はい: #line:0a3
    太郎 B: やあ [select value={$x} a="b" /]https:\/\/a
=> 地の文 [nomarkup][x] y[/nomarkup] # 1
[character name="次郎"]次郎です。[/character]
[[古い選択肢|Next]]
===
title: Next
---
花子: 終わり
===
"""
YARN_ROWS = [
    ("line:0a1", "花子", "今日は晴れだね。"),
    ("line:0a2", "", "{$name}さん、[重要] 10:30 に。"),
    ("", "太郎 B", "やあ https://a"),
    ("", "", "地の文 [x] y # 1"),
    ("", "次郎", "次郎です。"),
    ("", "花子", "終わり"),
]
DIALOGUE = """勇者「行くぞ」
　日が暮れた。

村人A：やあ：どうも。
勇者（喜び）「長い
　話だ」
「誰かの声」
魔王『ははは「お前は」誰だ』
村人A: 3:30 です
"""
DIALOGUE_ROWS = [
    ("", "勇者", "行くぞ"),
    ("", "", "日が暮れた。"),
    ("", "村人A", "やあ：どうも。"),
    ("", "勇者（喜び）", "長い 話だ"),
    ("", "", "「誰かの声」"),
    ("", "魔王", "ははは「お前は」誰だ"),
    ("", "村人A", "3:30 です"),
]
LOSSES = {
    ".rpy": (
        "Not imported: captions of menus (1 line).",
        "Not imported: choices of menus (2 lines).",
        "Not imported: lines whose quotation marks or brackets are not closed (line 51).",
        "Variables such as [name] were kept as they are written (lines: 1).",
    ),
    ".yarn": ("Not imported: options (2 lines).", "Expressions such as {$name} were kept as they are written (lines: 2)."),
    ".txt": (),
}

texts = st.text(st.characters(categories=("L", "N", "P", "S", "Zs")), min_size=1, max_size=20).map(lambda text: " ".join(text.split()))
names = st.text(st.characters(categories=("L", "N")), min_size=1, max_size=8).filter(lambda name: not name.isdecimal())
words = st.text(st.characters(categories=("L", "N")), min_size=1, max_size=20)
ids = st.from_regex(r"[a-z]{1,5}_[0-9a-f]{8}", fullmatch=True)
rare = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


def rows_of(file: Path) -> Rows:
    """Id where the file gave one, who, text."""
    lines = read_script_file(file).project.script.lines
    return [(line.id if len(line.id) != 12 else "", line.settings.voice, line.text) for line in lines]


def describe_lines(script: Script) -> list[tuple[str, str, LineSettings, str]]:
    """Return id, text and settings of each line, and its character's name; ids of characters differ."""
    names = {one.id: one.name for one in script.cast}
    return [(line.id, line.text, line.settings, names.get(line.character, "")) for line in script.lines]


def read_or_refuse(file: Path) -> tuple[tuple[Line, ...], str]:
    """Return the lines, or what is said of a file that cannot be read."""
    try:
        return read_script_file(file).project.script.lines, ""
    except InputError as error:
        return (), error.message


def written(folder: Path, name: str, text: str, encoding: str = "utf-8") -> Path:
    file = folder / name
    file.write_bytes(text.encode(encoding))
    return file


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp932"])
@pytest.mark.parametrize(
    ("suffix", "text", "rows"), [(".rpy", RENPY, RENPY_ROWS), (".yarn", YARN, YARN_ROWS), (".txt", DIALOGUE, DIALOGUE_ROWS)]
)
def test_who_says_what(tmp_path: Path, suffix: str, text: str, rows: Rows, encoding: str) -> None:
    set_language("en")
    file = written(tmp_path, f"a{suffix}", text.replace("\n", "\r\n"), encoding)
    found = rows_of(file)
    assert [row[1:] for row in found] == [row[1:] for row in rows]
    assert all(mine == wanted or (wanted == "*" and mine) for (mine, *_), (wanted, *_) in zip(found, rows, strict=True))
    assert read_script_file(file).losses == LOSSES[suffix]
    assert [one.name for one in read_script_file(file).project.script.cast] == list(dict.fromkeys(who for _, who, _ in rows if who))


@pytest.mark.parametrize(("suffix", "prefix"), [(".rpy", ""), (".yarn", "line:")])
@rare
@given(data=st.data())
def test_scripts_of_games_come_back(tmp_path: Path, suffix: str, prefix: str, data: st.DataObject) -> None:
    names_of_cast = data.draw(st.lists(texts, max_size=3, unique_by=fold_character_name))
    cast = tuple(Character(name, LineSettings(voice=name)) for name in names_of_cast if name)
    speaking = st.sampled_from([Character(""), *cast])
    kept = st.builds(
        lambda text, who, line_id: Line(text, who.settings, id=prefix + line_id, character=who.id if who.name else ""),
        texts.filter(bool),
        speaking,
        ids,
    )
    lines = data.draw(st.lists(kept, min_size=1, max_size=6, unique_by=lambda line: line.id))
    file = tmp_path / f"a{suffix}"
    assert write_script(file, Script(tuple(lines), cast=cast)) == ()
    found = read_script_file(file)
    assert describe_lines(found.project.script) == describe_lines(Script(tuple(lines), cast=cast))
    again = tmp_path / f"b{suffix}"
    write_script(again, found.project.script)
    assert again.read_bytes() == file.read_bytes()


@rare
@given(said=st.lists(st.tuples(names, texts.filter(bool)), min_size=2, max_size=6), narrated=words, style=names)
def test_dialogue_in_text_comes_back(tmp_path: Path, said: list[tuple[str, str]], narrated: str, style: str) -> None:
    said = [(who, text) for who, text in said for _ in range(2)]
    lines = [Line(text, LineSettings(voice=who, style=style)) for who, text in said] + [Line(narrated)]
    write_script(tmp_path / "a.txt", Script(tuple(lines)), as_dialogue=True)
    assert [row[1:] for row in rows_of(tmp_path / "a.txt")] == [(f"{who}（{style}）", text) for who, text in said] + [("", narrated)]


@rare
@given(text=st.text(max_size=60), suffix=st.sampled_from([".rpy", ".yarn", ".txt"]))
def test_any_text_is_read_or_refused_in_a_sentence(tmp_path: Path, text: str, suffix: str) -> None:
    file = written(tmp_path, f"a{suffix}", f'label a:\n    e "はい"\n---\n{text}', "utf-8")
    lines, refused = read_or_refuse(file)
    assert bool(lines) != bool(refused)
    write_script(tmp_path / f"b{suffix}", Script(lines))


@pytest.mark.parametrize("suffix", [".rpy", ".yarn", ".txt"])
@pytest.mark.parametrize(
    "text",
    [
        "{" * 200_000,
        "[" * 200_000,
        "\\" * 200_000,
        ("[nomarkup]" * 100_000),
        ('"' + "あ" * 500_000),
        ('e "開く\n' * 10_001),
        ('\\"\n' * 30_000),
        ("menu:\n" * 20_000),
        ("彼「" * 100_000),
        ("彼「\n" * 30_000),
        ("「」" * 100_000),
        ("a" * 10_000_000),
        ("{rb}" * 200_000),
        ("e " * 400_000),
        ("e (" * 30_000 + '"x"\n'),
        ("#" * 200_000),
        ("e\0f" * 10),
    ],
    ids=lambda text: ascii(text[:6]),
)
def test_hostile_texts_take_no_time(tmp_path: Path, suffix: str, text: str) -> None:
    began = time.process_time()
    lines, refused = read_or_refuse(written(tmp_path, f"a{suffix}", text))
    assert bool(lines) != bool(refused)
    assert "\n" not in refused
    assert time.process_time() - began < 10


@pytest.mark.parametrize(
    "text",
    [
        "場所：東京\n日時：三月\n費用：なし\n",
        "彼は「そうか」と言った。\n彼女「ええ」\n雨が降っていた。\n",
        "10:30 集合\n11:00 出発\n10:30 解散\n",
        "https://a.example\nhttps://b.example\nhttps://a.example\n",
        "太郎「一人だけ」\n",
        "「どうして」\n「さあ」\n",
        "注：これは、名前ではない。\n雨。\n",
    ],
)
def test_prose_and_lists_are_no_dialogue(text: str) -> None:
    assert parse_dialogue(split_lines(text)) is None


def test_novels_are_no_dialogue(shared: Path) -> None:
    for name in ("aozora_300k.txt.gz", "common_voice_ja.txt", "rohan4600.txt"):
        data = (shared / "texts" / name).read_bytes()
        lines = split_lines((gzip.decompress(data) if name.endswith("gz") else data).decode())[:60_000]
        assert all(parse_dialogue(lines[start : start + 20]) is None for start in range(0, len(lines), 20)), name


def test_what_scripts_of_games_cannot_hold_is_said(tmp_path: Path) -> None:
    set_language("en")
    script = Script((Line("はい", LineSettings(voice="花子", style="喜び", speed=1.5), id="1 つ目"),))
    for suffix in (".rpy", ".yarn"):
        assert write_script(tmp_path / f"a{suffix}", script) == (
            "Not saved in this format: styles (1 line).",
            "Not saved in this format: IDs (1 line).",
            "Not saved in this format: settings of the voice (1 line).",
        )
