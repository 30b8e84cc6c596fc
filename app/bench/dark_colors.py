"""Pictures on dark ground: they are drawn for paper, and every colour of theirs has one that takes its place in the dark."""

import re

from app.bench.svg_picture import GRID, INK, PALE, PAPER
from app.common.stage_colors import STAGE_COLORS_ON_DARK, STAGE_COLORS_ON_LIGHT

DARK_COLORS = {STAGE_COLORS_ON_LIGHT[stage]: STAGE_COLORS_ON_DARK[stage] for stage in STAGE_COLORS_ON_LIGHT} | {
    PAPER: "#242830",
    INK: "#e8ebf0",
    PALE: "#a3adbb",
    GRID: "#414957",
    "#999999": "#b4bcc8",
    "#bbbbbb": "#5f6877",
    "#4477aa": "#6ea3d9",
    "#2a6fbb": "#6ea3f7",
    "#66ccee": "#7dd6f3",
    "#228833": "#4fb463",
    "#ccbb44": "#d9c95c",
    "#ee6677": "#f08392",
    "#c0392b": "#f0776a",
    "#aa3377": "#d568a4",
    "#882255": "#a8628a",
}
_PAINT_ATTRIBUTE = re.compile('(fill|stroke)="(#[0-9a-f]{6})"')


def convert_to_dark(svg: str) -> str:
    """Return the same picture on dark ground; an unknown colour stays."""
    return _PAINT_ATTRIBUTE.sub(lambda found: f'{found[1]}="{DARK_COLORS.get(found[2], found[2])}"', svg)


def build_dark_rules() -> str:
    """Return the dark colours as a style sheet, for a page whose readers choose the ground."""
    paints = ((paint, *pair) for pair in DARK_COLORS.items() for paint in ("fill", "stroke"))
    return "\n".join(f'svg [{paint}="{light}"] {{ {paint}: {dark}; }}' for paint, light, dark in paints)
