"""A number added to `Delivery` without a control, an option, a tip, its saving, its effect or its help fails here, and the message names what is missing."""

import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from app.cli.main import build_parser
from app.common.language import Language
from app.compose.speaker_opening import open_speaker
from app.core.script.project import PRESET_SETTINGS, LineTake
from app.core.script.script import Line, LineSettings, Script, build_request
from app.core.script.script_data import convert_script_to_data, parse_script
from app.core.sound.voice_traits import ARCHITECTURES, SBV2_ARCHITECTURE
from app.core.synthesis_types import BOUNDS, Float32, SynthesisRequest
from app.interchange.script_import import read_script_file
from app.interchange.script_writers import write_script
from app.service.openapi_document import OPENAPI_SCHEMAS
from app.service.speak_request import parse_speak_request
from app.service.style_catalogue import build_catalogue
from app.settings.user_settings import REMEMBERED_NAMES
from app.ui.help.guide_page_view import locate_page
from app.ui.parameters.side_panel import SidePanel
from app.ui.takes.take_panel import list_differences

ROOT = Path(__file__).parents[3]
# An empty script begins with the settings of the line that was selected last, but for what belongs to that line's text.
OF_ONE_LINE_ONLY = {"assist_weight", "pre_silence_s", "post_silence_s"}
# A style that is not neutral, an assist text and several clauses: so that every number has something to change.
REQUEST = SynthesisRequest("雨が降る、とても嬉しい。", style=1, assist_text="とても悲しい。")


def another(name: str) -> Any:
    """A value within the bounds that is not the default."""
    bounds = BOUNDS[name]
    return min(bounds.default + 10 * bounds.step, bounds.high) if bounds.default < bounds.high else bounds.low


@pytest.fixture(scope="module")
def sound() -> Callable[[SynthesisRequest], Float32]:
    """What the voice we ship makes of a request."""
    pipeline = open_speaker(None, "cpu").pipeline
    return lambda request: np.concatenate([chunk.samples for chunk in pipeline.synthesize(request)])


def test_its_words_are_in_both_languages() -> None:
    assert not [name for name, bounds in BOUNDS.items() if bounds.ja == bounds.en or len(set(bounds.tips)) != 2]


@pytest.mark.parametrize("name", BOUNDS)
def test_it_changes_the_sound(name: str, sound: Callable[[SynthesisRequest], Float32]) -> None:
    plain, changed = sound(REQUEST), sound(replace(REQUEST, **{name: another(name)}))
    if name in SBV2_ARCHITECTURE.unused_numbers:
        assert np.array_equal(plain, changed), "the voice we ship does not use it, and another kind of voice does"
        assert any(name not in kind.unused_numbers for kind in ARCHITECTURES.values())
        return
    assert len(plain) != len(changed) or not np.array_equal(plain, changed)


@pytest.mark.parametrize("name", BOUNDS)
def test_it_has_an_option(name: str) -> None:
    value = another(name)
    option = "--" + name.removesuffix("_s").replace("_", "-")
    options = build_parser().parse_args(["speak", "あ", option, str(value)])
    assert getattr(options, name) == pytest.approx(value)


@pytest.mark.parametrize("name", BOUNDS)
def test_it_has_a_control_with_a_tip_that_changes_the_line(name: str, qtbot: QtBot) -> None:
    side = SidePanel()
    qtbot.addWidget(side)
    side.show()
    side.expression.set_open(True)
    slider = side.sliders[name]
    assert slider.isVisible(), "it is made but nowhere in the panel"
    assert BOUNDS[name].tip
    told: list[tuple[str, object]] = []
    side.edited.connect(lambda *edit: told.append(edit))
    slider.set_value(another(name))
    assert told == [(name, pytest.approx(another(name)))]
    assert list_differences(LineTake("line", "", LineSettings(**{name: another(name)})), Line(), str), "a take that differs in it says so"


@pytest.mark.parametrize("name", BOUNDS)
def test_it_has_a_column_that_comes_back(name: str, tmp_path: Path) -> None:
    script = Script((Line("あ。", LineSettings(**{name: another(name)})),))
    write_script(tmp_path / "台本.csv", script)
    (back,) = read_script_file(tmp_path / "台本.csv").project.script.lines
    assert getattr(back.settings, name) == pytest.approx(another(name))


@pytest.mark.parametrize("name", BOUNDS)
def test_the_service_takes_it_and_says_so(name: str) -> None:
    catalogue = build_catalogue([open_speaker(None, "cpu").voice])
    assert name in OPENAPI_SCHEMAS["SpeakRequest"]["properties"]
    assert getattr(parse_speak_request({"text": "あ", name: another(name)}, catalogue).base, name) == another(name)


@pytest.mark.parametrize("language", ["ja", "en"])
@pytest.mark.parametrize("name", [item.name for item in fields(LineSettings)])
def test_the_help_names_it(name: str, language: Language) -> None:
    assert f"`{name}`" in locate_page("project-file", language).read_text(encoding="utf-8"), f"resources/help/{language}/project-file.md"


@pytest.mark.parametrize("name", BOUNDS)
def test_it_is_kept_restored_and_reaches_the_request(name: str) -> None:
    line = Line("あ。", LineSettings(**{name: another(name)}))
    (back,) = parse_script(convert_script_to_data(Script((line,)))).lines
    assert back == line
    assert getattr(build_request(line), name) == another(name)
    assert name in PRESET_SETTINGS, "a preset sets it"
    assert (name in REMEMBERED_NAMES) != (name in OF_ONE_LINE_ONLY)


PLANT = """
import sys
from pathlib import Path
from types import ModuleType

import pytest

number = '    warmth: float = _define_number(0.0, 1.0, 0.5, "温かさ", "warmth", tips=("温かさ。", "How warm it is."))'
source = Path("app/core/delivery.py").read_text(encoding="utf-8")
assert source.count("# fmt: on") == 1
module = sys.modules["app.core.delivery"] = ModuleType("app.core.delivery")
exec(source.replace("    # fmt: on", number), module.__dict__)
sys.exit(pytest.main(["-q", "-n", "0", "-k", "warmth", "-rfp", "-p", "no:cacheprovider", *sys.argv[1:]]))
"""


def test_a_number_that_is_only_declared_lacks_its_effect_and_its_help() -> None:
    """All else follows from the declaration; what does not is named by a test that fails."""
    command = [sys.executable, "-c", PLANT, str(Path(__file__).relative_to(ROOT))]
    told = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, encoding="utf-8", check=False).stdout
    outcomes = {test: outcome for outcome, test in re.findall(r"^(PASSED|FAILED) \S*::(\S+)", told, re.MULTILINE)}
    missing = {"test_it_changes_the_sound[warmth]", "test_the_help_names_it[warmth-ja]", "test_the_help_names_it[warmth-en]"}
    assert {test for test, outcome in outcomes.items() if outcome == "FAILED"} == missing, told
    assert len(outcomes) == len(missing) + 5, told
