"""A picture as SVG, element by element."""

from __future__ import annotations

from xml.sax.saxutils import escape, quoteattr

FONT = "'Noto Sans CJK JP', 'Yu Gothic UI', 'Hiragino Sans', sans-serif"
PAPER, INK, PALE, GRID = "#ffffff", "#222222", "#777777", "#dddddd"


class SvgPicture:
    """Coordinates are pixels from the top left.

    Attributes:
        height: may grow while the picture is drawn.
    """

    def __init__(self, width: int) -> None:
        self.width, self.height = width, 0.0
        self._elements: list[str] = []

    def draw_box(self, x: float, y: float, width: float, height: float, color: str, title: str = "") -> None:
        """Draw a filled rectangle; `title` is shown under the pointer."""
        inside = f"<title>{escape(title)}</title>" if title else ""
        self._add_element(
            f'<rect x="{x:.1f}" y="{y:.1f}" width="{max(0.0, width):.1f}" height="{height:.1f}" fill="{color}">{inside}</rect>', y + height
        )

    def draw_line(self, points: list[tuple[float, float]], color: str, *, dashed: bool = False, width: float = 1.0) -> None:
        """Draw straight lines from point to point."""
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        dash = ' stroke-dasharray="5 4"' if dashed else ""
        self._add_element(
            f'<polyline points="{path}" fill="none" stroke="{color}" stroke-width="{width}"{dash}/>', max(y for _, y in points)
        )

    def draw_marker(self, x: float, y: float, color: str) -> None:
        """Draw a small triangle that points down to (x, y)."""
        self._add_element(f'<polygon points="{x - 5:.1f},{y - 8:.1f} {x + 5:.1f},{y - 8:.1f} {x:.1f},{y:.1f}" fill="{color}"/>', y)

    def draw_dot(self, x: float, y: float, color: str) -> None:
        """Draw a measured point."""
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

    def render_svg(self, margin: float) -> str:
        """Return the whole file."""
        height = round(self.height + margin)
        head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{self.width}" height="{height}" viewBox="0 0 {self.width} {height}">'
        paper = f'<rect width="{self.width}" height="{height}" fill="{PAPER}"/>'
        return "\n".join([head, paper, *self._elements, "</svg>", ""])

    def _add_element(self, element: str, bottom: float) -> None:
        self._elements.append(element)
        self.height = max(self.height, bottom)
