"""A picture as SVG, element by element, and what all charts draw: headings, legends, axes, curves.

Pictures are drawn for paper, and every colour of theirs has one that takes its place on dark ground.
"""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape, quoteattr

from app.common.stages import STAGE_COLORS_ON_DARK, STAGE_COLORS_ON_LIGHT

FONT = "'Noto Sans CJK JP', 'Yu Gothic UI', 'Hiragino Sans', sans-serif"
PAPER, INK, PALE, GRID = "#ffffff", "#222222", "#777777", "#dddddd"
WIDTH, MARGIN = 960, 24  # of a chart, in pixels


class SvgPicture:
    """A picture in pixels from the top left; its height grows while it is drawn."""

    def __init__(self, title: str = "", subtitle: str = "", width: int = WIDTH) -> None:
        self.width, self.height = width, 0.0
        self._elements: list[str] = []
        if title:
            self.draw_text(MARGIN, 34, title, size=18, bold=True)
        if subtitle:
            self.draw_text(MARGIN, 54, subtitle, size=12, color=PALE)

    def draw_box(self, x: float, y: float, width: float, height: float, color: str, title: str = "") -> None:
        """Draw a filled rectangle; `title` is shown under the pointer."""
        inside = f"<title>{escape(title)}</title>" if title else ""
        self._add_element(
            f'<rect x="{x:.1f}" y="{y:.1f}" width="{max(0.0, width):.1f}" height="{height:.1f}" fill="{color}">{inside}</rect>', y + height
        )

    def draw_line(self, points: list[tuple[float, float]], color: str, *, dashed: bool = False, width: float = 1.0) -> None:
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        dash = ' stroke-dasharray="5 4"' if dashed else ""
        self._add_element(
            f'<polyline points="{path}" fill="none" stroke="{color}" stroke-width="{width}"{dash}/>', max(y for _, y in points)
        )

    def draw_marker(self, x: float, y: float, color: str) -> None:
        """Draw a small triangle that points down to (x, y)."""
        self._add_element(f'<polygon points="{x - 5:.1f},{y - 8:.1f} {x + 5:.1f},{y - 8:.1f} {x:.1f},{y:.1f}" fill="{color}"/>', y)

    def draw_dot(self, x: float, y: float, color: str) -> None:
        self._add_element(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{color}"/>', y + 4)

    def draw_text(
        self, x: float, y: float, words: str, *, size: int = 13, color: str = INK, anchor: str = "start", bold: bool = False
    ) -> None:
        """Draw words on the line y; `anchor` is start, middle or end."""
        weight = ' font-weight="bold"' if bold else ""
        self._add_element(
            f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" fill="{color}" text-anchor="{anchor}"{weight} '
            f"font-family={quoteattr(FONT)}>{escape(words)}</text>",
            y + 4,
        )

    def draw_key(self, x: float, y: float, color: str, words: str, *, side: float = 12, text_x: float = 18, text_y: float = 11) -> None:
        """Draw an entry of a legend: a square, and its words at this distance from its corner."""
        self.draw_box(x, y, side, side, color)
        self.draw_text(x + text_x, y + text_y, words, size=12)

    def render_svg(self, margin: float = MARGIN) -> str:
        height = round(self.height + margin)
        head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{self.width}" height="{height}" viewBox="0 0 {self.width} {height}">'
        paper = f'<rect width="{self.width}" height="{height}" fill="{PAPER}"/>'
        return "\n".join([head, paper, *self._elements, "</svg>", ""])

    def _add_element(self, element: str, bottom: float) -> None:
        self._elements.append(element)
        self.height = max(self.height, bottom)


@dataclass(frozen=True, slots=True)
class ChartPlot:
    """An area of a picture with an axis each way from 0; `most_x` and `most_y` are the values at their ends."""

    picture: SvgPicture
    left: float
    right: float
    top: float
    height: float
    most_x: float
    most_y: float = 1.0

    def scale_x(self, value: float) -> float:
        """Return the pixel of a value across."""
        return self.left + (self.right - self.left) * value / self.most_x

    def scale_y(self, value: float) -> float:
        """Return the pixel of a value up."""
        return self.top + self.height * (1 - value / self.most_y)

    def draw_levels(self, labels: dict[float, str], gap: float = 10) -> None:
        """Draw a line across at each value, and its label in front of it."""
        for value, label in labels.items():
            self.picture.draw_line([(self.left, self.scale_y(value)), (self.right, self.scale_y(value))], GRID)
            self.picture.draw_text(self.left - gap, self.scale_y(value) + 4, label, size=11, color=PALE, anchor="end")

    def draw_curve(self, values: Sequence[tuple[float, float]], color: str, width: float = 2) -> None:
        """Draw a curve through values across and up, with a dot at each."""
        points = [(self.scale_x(x), self.scale_y(y)) for x, y in values]
        self.picture.draw_line(points, color, width=width)
        for point in points:
            self.picture.draw_dot(*point, color)


def choose_ticks(most: float) -> list[float]:
    """Return four to nine round numbers from 0 to `most`."""
    step = 10.0 ** math.floor(math.log10(most))
    step *= next(part for part in (1.0, 0.5, 0.2, 0.1) if most / (step * part) >= 4)
    return [step * index for index in range(int(most / step) + 1)]


def label_ms(most: float) -> dict[float, str]:
    """Return round numbers of milliseconds up to `most`, with their labels."""
    return {tick: f"{tick:g} ms" for tick in choose_ticks(most)}


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
