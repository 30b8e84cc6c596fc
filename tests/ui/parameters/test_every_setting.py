"""A number added to `BOUNDS` without a control, an option, a tip, its saving or its effect fails here, and the message names what is missing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from app.cli.parser import build_parser
from app.compose.opening import open_speaker
from app.core.limits import BOUNDS
from app.core.presets import PARTS
from app.core.requests import request_of
from app.core.script import Line, LineSettings, Script
from app.core.script_data import script_from_data, script_to_data
from app.core.types import Float32, SynthesisRequest
from app.settings import REMEMBERED
from app.ui.parameters.side_panel import SidePanel

# An empty script begins with the settings of the line that was selected last, but for what belongs to that line's text.
OF_ONE_LINE_ONLY = {"assist_weight", "pre_silence_s", "post_silence_s"}
# A style that is not neutral, an assist text and several clauses: so that every number has something to change.
REQUEST = SynthesisRequest("雨が降る、とても嬉しい。", style=1, assist_text="とても悲しい。")


def another(name: str) -> float:
    """A value within the bounds that is not the default."""
    bounds = BOUNDS[name]
    return min(bounds.default + 10 * bounds.step, bounds.high) if bounds.default < bounds.high else bounds.low


@pytest.fixture(scope="module")
def sound() -> Callable[[SynthesisRequest], Float32]:
    """What the voice we ship makes of a request."""
    pipeline = open_speaker(None, "cpu").pipeline
    return lambda request: np.concatenate([chunk.samples for chunk in pipeline.synthesize(request)])


def test_lines_and_requests_have_it_and_its_name_is_in_both_languages() -> None:
    for owner in (LineSettings, SynthesisRequest):
        assert set(BOUNDS) <= {item.name for item in fields(owner)}, f"{owner.__name__} lacks a field"
    assert not [name for name, bounds in BOUNDS.items() if bounds.ja == bounds.en]


@pytest.mark.parametrize("name", BOUNDS)
def test_it_changes_the_sound(name: str, sound: Callable[[SynthesisRequest], Float32]) -> None:
    plain, changed = sound(REQUEST), sound(replace(REQUEST, **{name: another(name)}))
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


@pytest.mark.parametrize("name", BOUNDS)
def test_it_is_kept_restored_and_reaches_the_request(name: str) -> None:
    line = Line("あ。", LineSettings(**{name: another(name)}))
    (back,) = script_from_data(script_to_data(Script((line,)))).lines
    assert back == line
    assert getattr(request_of(line), name) == another(name)
    assert name in PARTS, "a preset sets it"
    assert (name in REMEMBERED) != (name in OF_ONE_LINE_ONLY)
