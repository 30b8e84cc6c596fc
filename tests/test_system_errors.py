"""What the system says of a file is told in the language of the user, whatever it was."""

import ast
import csv
import errno
import io
import json
import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.adapters.files.part_file import build_write_error
from app.common.files.whole_files import FileTooLargeError
from app.common.language import set_language
from app.common.system_errors import describe_reason
from tests.source_trees import read_app

ALLOWED = {"system_errors.py", "regular_file.py"}  # the second one tells words of our own


@pytest.fixture
def _japanese() -> Iterator[None]:
    set_language("ja")
    yield
    set_language("en")


def english_in(text: str) -> list[str]:
    return [word for word in re.findall(r"[A-Za-z]\w+", text) if word not in errno.errorcode.values() and word not in ("UTF", "JSON")]


@pytest.mark.usefixtures("_japanese")
@pytest.mark.parametrize("code", sorted(errno.errorcode))
def test_no_word_of_the_system_stands_in_a_japanese_sentence(code: int) -> None:
    error = OSError(code, os.strerror(code), "/声")
    assert english_in(describe_reason(error)) == []
    told = build_write_error(Path("/声/音"), error)
    assert english_in(told.message) == []
    assert english_in(told.hint) == []
    assert told.hint


def test_what_is_not_known_keeps_the_systems_words_in_english() -> None:
    assert describe_reason(OSError(errno.ENOTTY, os.strerror(errno.ENOTTY))) == os.strerror(errno.ENOTTY)
    assert describe_reason(PermissionError(errno.EACCES, "Permission denied")) == "permission denied"


def broken() -> Iterator[Exception]:
    for content in (b"{", b"\xff", b'{"a": ' + b"[" * 99_999):
        try:
            json.loads(content)
        except (ValueError, RecursionError) as exc:
            yield exc
    try:
        list(csv.reader(io.StringIO('"a'), strict=True))
    except csv.Error as exc:
        yield exc
    try:
        os.stat("a\0b")  # noqa: PTH116
    except ValueError as exc:
        yield exc
    yield UnicodeEncodeError("ascii", "声", 0, 1, "ordinal not in range")
    yield MemoryError()
    yield RuntimeError("something went wrong")


@pytest.mark.usefixtures("_japanese")
def test_what_libraries_say_of_content_is_told_in_japanese() -> None:
    for error in broken():
        reason = describe_reason(error)
        assert reason
        assert english_in(reason) in ([], ["RuntimeError"])
    assert describe_reason(FileTooLargeError(errno.EFBIG, "大きすぎます（8 MB まで）")) == "大きすぎます（8 MB まで）"
    assert describe_reason(ValueError("単語がありません。")) == "単語がありません"


def test_only_one_place_reads_the_systems_words() -> None:
    for module in read_app():
        nodes = module.list_nodes(ast.Attribute) if "strerror" in module.source else ()
        used = [node.lineno for node in nodes if node.attr == "strerror"]
        assert not used or Path(module.name).name in ALLOWED or "os.strerror" in module.source, f"{module.name}: {used}"
