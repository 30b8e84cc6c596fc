"""Pictures in a dark theme: every colour that a chart may have is known, words stay readable, and the stages have the colours of the window."""

import re
from pathlib import Path

import pytest

from app.bench.svg_picture import DARK_COLORS, GRID, INK, PALE, PAPER, SvgPicture, build_dark_rules, convert_to_dark
from app.common.stages import STAGE_COLORS_ON_DARK, STAGE_COLORS_ON_LIGHT
from app.core.sound.stage_clock import ALL_STAGES
from app.lab.report_charts import draw_profile_chart
from app.lab.report_tables import format_as_html
from app.ui.theme.theme import DARK_THEME, LIGHT_THEME

APP = Path(__file__).parents[2] / "app"
COLOR = re.compile('"(#[0-9a-f]{6})"')
DRAWING = [path for room in ("bench", "lab") for path in (APP / room).rglob("*.py")]


def contrast(one: str, other: str) -> float:
    """As WCAG has it."""

    def luminance(color: str) -> float:
        parts = [int(color[place : place + 2], 16) / 255 for place in (1, 3, 5)]
        red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def test_stages_have_one_palette() -> None:
    assert set(STAGE_COLORS_ON_LIGHT) == set(STAGE_COLORS_ON_DARK) >= set(ALL_STAGES)
    assert LIGHT_THEME.stages is STAGE_COLORS_ON_LIGHT
    assert DARK_THEME.stages is STAGE_COLORS_ON_DARK


def test_every_colour_of_a_chart_has_a_dark_one() -> None:
    used = {color for path in DRAWING for color in COLOR.findall(path.read_text(encoding="utf-8").partition("DARK_COLORS =")[0])} | set(
        STAGE_COLORS_ON_LIGHT.values()
    )
    assert used <= set(DARK_COLORS)
    assert DARK_COLORS[PAPER] == DARK_THEME.surface
    assert all(contrast(DARK_COLORS[color], DARK_COLORS[PAPER]) > 4.5 for color in (INK, PALE))
    assert all(contrast(DARK_COLORS[color], DARK_COLORS[PAPER]) > 2.5 for color in used - {PAPER, GRID})


def test_a_picture_is_repainted_and_its_words_stay() -> None:
    picture = SvgPicture(width=100)
    picture.draw_box(0, 0, 10, 10, STAGE_COLORS_ON_LIGHT["decode"], "#ffffff")
    picture.draw_line([(0, 0), (1, 1)], "#123456")
    picture.draw_text(0, 20, "#222222")
    dark = convert_to_dark(picture.render_svg(4))
    assert f'fill="{STAGE_COLORS_ON_DARK["decode"]}"' in dark
    assert "<title>#ffffff</title>" in dark
    assert ">#222222</text>" in dark
    assert 'stroke="#123456"' in dark, "a colour that is not known stays"
    assert f'fill="{PAPER}"' not in dark


def test_a_profile_has_the_colours_of_the_latency_dock() -> None:
    rows: list[dict[str, object]] = [
        {"type": "profile", "scope": "stage", "name": stage, "stage": stage, "graph": "", "median_ms": 10.0, "memory_mib": 1.0}
        for stage in ("bert", "decode")
    ]
    svg = draw_profile_chart(rows)
    for stage in ("bert", "decode"):
        assert f'fill="{LIGHT_THEME.stages[stage]}"' in svg
        assert f'fill="{DARK_THEME.stages[stage]}"' in convert_to_dark(svg)
    page = format_as_html(rows, "profile")
    assert "$pictures" not in page
    assert build_dark_rules() in page


def test_names_of_all_stages_stay_in_the_picture() -> None:
    rows: list[dict[str, object]] = [
        {"type": "profile", "scope": "stage", "name": stage, "stage": stage, "graph": "", "median_ms": 10.0, "memory_mib": 1.0}
        for stage in ALL_STAGES
    ]
    svg = draw_profile_chart(rows)
    words = re.findall(r'<text x="([0-9.]+)"[^>]*>([a-z0-9]+ 10\.0 ms)<', svg)
    assert len(words) == len(ALL_STAGES)
    assert all(float(x) + 7 * len(text) <= 960 for x, text in words)


@pytest.mark.parametrize("paint", ["fill", "stroke"])
def test_a_page_follows_its_reader(paint: str) -> None:
    assert f'svg [{paint}="{PAPER}"] {{ {paint}: {DARK_THEME.surface}; }}' in build_dark_rules()
