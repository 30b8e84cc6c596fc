"""One word for one thing: words that were given up, or that no user or engineer would say, stay out of what the program says and notes."""

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from tests.source_trees import SourceModule, parse_app

JAPANESE = re.compile("[ぁ-んァ-ヶ一-龥]")
LATIN = re.compile("[A-Za-z]{2}")
# Names of methods, formats and programs, units, and the language's own code.
SAME_IN_JAPANESE = {"（int8）", "ja", "Ren’Py（voice/{id}.ogg）", "Wwise（.wsources）", " LUFS（）"}
# The program's and a method's name, units, the beginning of an address.
SAME_IN_BOTH = {"Koebako", "LUFS", "MiB", "https://…"}
SHOWING_TEXT = """
QLabel QPushButton QCheckBox QRadioButton QGroupBox QAction QToolButton QMenu setText setWindowTitle setToolTip setPlaceholderText
setTitle setStatusTip setAccessibleName setAccessibleDescription addTab setInformativeText setSuffix setPrefix setSpecialValueText
setLabelText setHeaderLabels addRow addAction addMenu addItem addItems setTabText setItemText showMessage
setHorizontalHeaderLabels setCancelButtonText
"""
SHOWING = frozenset(SHOWING_TEXT.split())
NAMES = {
    "app/core/text/normalise",
    "app/bench/stage_timing.py",
    "app/install/bert_preparation.py",
}  # language itself, and texts to be spoken
TABLES = {
    "action_definitions.py",
    "settings_labels.py",
    "unsupported_formats.py",
    "system_errors.py",
    "display_names.py",
}  # pairs outside of `localize`

FORBIDDEN_JAPANESE = (
    r"装置|出力先|アダプター",  # バックエンド、デバイス、再生デバイス
    r"要ります|が要る|入れ直|確かめて|読めません|読めませんでした",  # 必要です、再インストール、確認、読み込めません
    r"取り消|やめる|やめました",  # キャンセル、中止
    r"取り込|入手|持っているファイル",  # 追加、ダウンロード、読み込み
    r"消します|消した|写します|空にします",  # 削除、消去、複製
    r"最初の音(?!声)|再利用|レイテンシー|段階ごと",  # 最初の音声まで、キャッシュ、処理時間
    r"いつもの|でたらめ|お返事|順番を待|片付|起きたこと|覚え書き|気になる点",
    r"キーの割り当て|従う|に合わせる(?<!設定に合わせる)",  # ショートカットキー、システムの設定に合わせる
    r"別の版|新しい版|つなげて保存|(?<!ド)ライブ(?!ラリ)|あるもの|選べるもの|使えるもの|試聴",
    r"声が下がる|話すには|話せません|音が出",
    r"[ぁ-んァ-ヶ一-龥]\((?!&)|\((?![&A-Za-z0-9スト])[ぁ-んァ-ヶ一-龥]",  # （）
)
FORBIDDEN_ENGLISH = (
    r"\bshall\b|\banew\b|\btold\b|\brightly\b|\bgo(es)? on\b|\bgoing on\b",
    r"There are:|(?<!There )\bis no [A-Z]|\bno numbers\b|Make room|Looking…|come to (its|their) end|to its end\b",
    r"out of order|broke off|hand(ed)? over|left where|absurdly|\bputs? everything back\b|how it came|\bForgets\b|\bRoll\b",
    r"[Ff]ollow the system|usual place|Used twice|Save joined|Save sound|Third parties|\bat hand\b|went away|comes along",
    r"[Ff]irst sound\b|^[Ff]irst audio|heard at|\baudio output\b(?! device)|no right\b|Something unexpected",
    r'"',  # “ ”, but for a command that is shown as it is typed
)
FORBIDDEN_NOTES = re.compile(
    r"\b(told|tells?|telling|anew|rightly|shall|what has become of|behind the window|at hand)\b|(?<!time of one graph )\bgo(es|ing)? on\b"
    r"|\b(beside|stands?(?! (in )?for\b|-in\b)|stood|lies?|lay(?! out\b)|gives? way|costs? itself|bears?|of ours|the same of|likewise|at a stretch)\b",
    re.IGNORECASE,
)


def _modules() -> list[SourceModule]:
    """Return the modules of the program but those whose texts are language itself."""
    return [module for module in parse_app() if not module.name.startswith(tuple(NAMES))]


def _texts(node: ast.AST) -> Iterator[tuple[int, str]]:
    """What is said, without the values in it."""
    for part in ast.walk(node):
        if isinstance(part, ast.Constant) and isinstance(part.value, str):
            yield part.lineno, part.value


@cache
def _everything_said() -> list[tuple[str, int, str, bool]]:
    """File, and what `_said` gives."""
    return [(module.name, *found) for module in _modules() for found in _said(module)]


def _called(call: ast.Call) -> str:
    """Return the last part of the name that is called."""
    return str(getattr(call.func, "id", getattr(call.func, "attr", "")))


def _said(module: SourceModule) -> Iterator[tuple[int, str, bool]]:
    """Line, text, and whether it is Japanese: the arguments of `localize` and `add_command_parser`; in a table every sentence."""
    is_table = Path(module.name).name in TABLES
    for node in module.list_nodes(ast.Call):
        if _called(node) in ("localize", "add_command_parser"):
            for argument in node.args:
                for line, text in _texts(argument):
                    yield line, text, bool(JAPANESE.search(text))
        elif is_table:
            yield from _said_as_it_stands(node.args)
    for row in module.list_nodes(ast.Tuple) if is_table else ():
        yield from _said_as_it_stands(row.elts)


def _said_as_it_stands(parts: list[ast.expr]) -> Iterator[tuple[int, str, bool]]:
    for part in parts:
        if isinstance(part, ast.Constant) and isinstance(part.value, str):
            yield part.lineno, part.value, bool(JAPANESE.search(part.value))


def _notes(source: str) -> Iterator[tuple[int, str]]:
    """Comments and docstrings."""
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT or (token.type == tokenize.STRING and token.string.lstrip("rbf").startswith('"""')):
            yield token.start[0], token.string


def _faults(japanese: bool) -> list[str]:
    rules = [re.compile(rule) for rule in (FORBIDDEN_JAPANESE if japanese else FORBIDDEN_ENGLISH)]
    return [
        f"{name}:{line}: {text!r} ({found.group()})"
        for name, line, text, is_japanese in _everything_said()
        if is_japanese == japanese and "koebako speak " not in text
        for rule in rules
        if (found := rule.search(text))
    ]


def test_no_forbidden_word_in_japanese() -> None:
    assert _faults(japanese=True) == []


def test_no_forbidden_word_in_english() -> None:
    assert _faults(japanese=False) == []


def test_no_forbidden_idiom_in_notes() -> None:
    found = [
        f"{module.name}:{line}: {match.group()}"
        for module in _modules()
        if FORBIDDEN_NOTES.search(module.source)  # else in none of its notes either
        for line, text in _notes(module.source)
        if (match := FORBIDDEN_NOTES.search(text))
    ]
    assert found == []


def _literal(node: ast.AST) -> str | None:
    """The letters of a text, without the values in it; None for what is no text."""
    parts = node.values if isinstance(node, ast.JoinedStr) else [node]
    if not isinstance(node, (ast.JoinedStr, ast.Constant)):
        return None
    values = [part.value for part in parts if isinstance(part, ast.Constant)]
    texts = [value for value in values if isinstance(value, str)]
    return "".join(texts) if texts == values else None


def _halves_without_japanese(module: SourceModule) -> Iterator[str]:
    """Japanese halves of `localize` that have letters, but no Japanese ones."""
    for node in module.list_nodes(ast.Call):
        if _called(node) == "localize":
            half = _literal(node.args[0]) if len(node.args) == 2 else None
            if half and LATIN.search(half) and not JAPANESE.search(half):
                yield half


def _shown_in_one_language(module: SourceModule) -> Iterator[str]:
    """Texts with words that Qt is given as they stand."""
    for node in module.list_nodes(ast.Call):
        if _called(node) in SHOWING:
            for argument in (*node.args, *(keyword.value for keyword in node.keywords)):
                text = re.sub(r"<[^>]*>", "", _literal(argument) or "")
                if LATIN.search(text) or JAPANESE.search(text):
                    yield text.strip()


def test_every_japanese_half_is_japanese() -> None:
    planted = SourceModule('localize("Save", "Save"); localize(f"Save {name}", "x"); localize("、", ", ")')
    assert list(_halves_without_japanese(planted)) == ["Save", "Save "]
    assert {half for module in _modules() for half in _halves_without_japanese(module)} == SAME_IN_JAPANESE


def test_no_text_is_shown_in_one_language() -> None:
    planted = 'QLabel("Save"); box.setToolTip(f"Save {name}"); QLabel("<b>…</b>"); menu.addAction(localize("保存", "Save"))'
    assert list(_shown_in_one_language(SourceModule(planted))) == ["Save", "Save"]
    found = {text for module in _modules() if module.name.startswith("app/ui/") for text in _shown_in_one_language(module)}
    assert found == SAME_IN_BOTH
