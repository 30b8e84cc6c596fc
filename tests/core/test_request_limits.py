"""Every number a request carries is checked, and the message names it."""

from dataclasses import replace
from typing import Any

import pytest

from app.common import language
from app.common.errors import InputError
from app.core.synthesis_types import (
    BOUNDS,
    MoraOverride,
    Overrides,
    PauseOverride,
    PhraseOverride,
    ReadingOverride,
    SynthesisRequest,
    check_request,
)

REQUEST = SynthesisRequest("あ")


def test_defaults_are_those_of_the_request() -> None:
    check_request(REQUEST)
    for name, bounds in BOUNDS.items():
        assert getattr(REQUEST, name) == bounds.default


@pytest.mark.parametrize("name", BOUNDS)
@pytest.mark.parametrize("side", ["low", "high", "nan"])
def test_out_of_range_is_named_with_its_range(name: str, side: str, monkeypatch: pytest.MonkeyPatch) -> None:
    bounds = BOUNDS[name]
    value = {"low": bounds.low - 0.01, "high": bounds.high + 0.01, "nan": float("nan")}[side]
    change: dict[str, Any] = {name: value}
    with pytest.raises(InputError) as caught:
        check_request(replace(REQUEST, **change))
    assert bounds.en in caught.value.message
    assert f"{bounds.high:g}" in caught.value.hint
    monkeypatch.setattr(language, "_current", "ja")
    with pytest.raises(InputError, match=bounds.ja.replace("(", r"\(").replace(")", r"\)")):
        check_request(replace(REQUEST, **change))


@pytest.mark.parametrize(
    "change",
    [
        {"pauses": {"x": 0.1}},
        {"pauses": {",": -1.0}},
        {"seed": -1},
        {"seed": 10**400},
        {"speed": 10**400},
        {"overrides": Overrides(moras=(MoraOverride(0, length_s=99),))},
        {"overrides": Overrides(pauses=(PauseOverride(0, float("inf")),))},
        {"overrides": Overrides((ReadingOverride("", "アマ"),))},
        {"overrides": Overrides((ReadingOverride("雨", "アマ", occurrence=-1),), text="別の文")},
        {"overrides": Overrides(moras=(MoraOverride(-1, tone=1),))},
        {"overrides": Overrides(moras=(MoraOverride(0, tone=2),))},
        {"overrides": Overrides(pauses=(PauseOverride(-1, 0.2),))},
        {"overrides": Overrides(phrases=(PhraseOverride(10**400, begins=True),))},
    ],
)
def test_other_numbers_too(change: dict[str, Any]) -> None:
    with pytest.raises(InputError):
        check_request(replace(REQUEST, **change))
