"""The picture of a report, drawn by the kind of its rows: bars of graphs and stages, and curves of times, memory and candidates."""

from collections.abc import Callable, Iterable, Sequence

from app.bench.svg_picture import INK, MARGIN, PALE, WIDTH, ChartPlot, SvgPicture, label_ms
from app.common.language import localize
from app.common.stages import STAGE_COLORS_ON_LIGHT
from app.core.sound.result_metrics import MAX_SNR_DB
from app.lab.expect.expect_rows import INEFFICIENT
from app.lab.report_rows import Row, format_cell, group_by_type, measure_columns, read_number
from app.lab.row_labels import format_candidate, format_graph, format_value

GOOD, BAD, REST = "#228833", "#ee6677", "#dddddd"
SERIES_COLORS = ("#4477aa", "#ee6677", "#228833", "#ccbb44", "#aa3377", "#66ccee", "#882255", "#777777")

LEFT_PX, BAR_PX, ROW_PX = 190, 24, 58  # bars of `inspect` and `expect`: from LEFT_PX, a graph every ROW_PX
PART_COLORS = ("#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee", "#aa3377")
UNNAMED_PART_COLOR = "#bbbbbb"  # of graphs whose nodes name no part, and of int8
MAX_PART_NAME, MAX_BLAMED_NAME, MAX_NAMED_OPERATORS = 36, 40, 3
MIN_NAMED_PART_PX, PART_LETTER_PX = 30.0, 6.5

PLACE_LEFT_PX, PLACE_RIGHT_PX, PLACE_ROW_PX = 220, 700, 34

PROFILE_LEFT_PX, PROFILE_RIGHT_PX, PROFILE_ROW_PX, MAX_PROFILE_BARS = 250, 840, 20, 14
STAGE_BAR_PX, MEMORY_HEIGHT_PX = 26, 150
MEMORY_SERIES = {
    "process_mib": ("#999999", ("プロセス全体", "process")),
    "held_mib": ("#4477aa", ("確保済み（全モデル）", "held by all sessions")),
    "in_use_mib": ("#ee6677", ("使用中（1 モデル）", "in use by one session")),
}

COMPARE_LEFT_PX, COMPARE_RIGHT_PX, COMPARE_TOP_PX, COMPARE_HEIGHT_PX, COMPARE_LEGEND_ROW_PX = 90, 920, 84, 320, 20

PANEL_WIDTH_PX, PANEL_LEFT_PX, PANEL_RIGHT_PX, PANEL_TOP_PX, PANEL_HEIGHT_PX, PANEL_GAP_PX = 900, 70, 860, 40, 260, 70
SNR_LEVELS_DB = (0, 20, 40, 60, 80, 100, 120)
CANDIDATE_COLOR, KEPT_COLOR = "#2a6fbb", "#c0392b"
# From a dot to its name; of a Latin letter, for Japanese ones take two; between names that would touch.
DOT_LABEL_GAP_PX, LABEL_LETTER_PX, LABEL_LINE_PX = 8, 6.2, 14
MIN_AXIS_SPEEDUP = 2.0  # on the right edge, so that few candidates do not fill it


def draw_inspect_chart(rows: Sequence[Row]) -> str:
    """Draw a bar a graph, as long as its multiply-adds, in the colours of its parts; graphs that were not counted have no bar."""
    graphs = [row for row in rows if row["type"] == "graph" and read_number(row, "macs")]
    frames = max((read_number(row, "frames") for row in graphs), default=0.0)
    subtitle = localize(f"{frames:.0f} フレーム", f"{frames:.0f} frames") if frames else ""
    picture = SvgPicture(localize("積和演算の数と内訳", "Multiply-adds by part"), subtitle)
    most = max((read_number(row, "macs") for row in graphs), default=1.0)
    colors: dict[str, str] = {}
    for index, row in enumerate(graphs):
        parts = [item for item in rows if item["type"] == "part" and all(item[name] == row[name] for name in ("graph", "form"))]
        _draw_graph_bar(picture, row, parts, (840 - LEFT_PX) / most, 84 + index * ROW_PX, colors)
    return picture.render_svg()


def _draw_graph_bar(picture: SvgPicture, row: Row, parts: Sequence[Row], scale: float, y: float, colors: dict[str, str]) -> None:
    """Draw a bar; a part has the same colour in every graph."""
    macs = read_number(row, "macs")
    picture.draw_text(LEFT_PX - 10, y + 12, _shorten_name(format_graph(str(row["graph"])), MAX_PART_NAME), anchor="end")
    picture.draw_text(LEFT_PX - 10, y + 26, str(format_value("form", row["form"])), size=11, color=PALE, anchor="end")
    picture.draw_box(LEFT_PX, y, macs * scale, BAR_PX, UNNAMED_PART_COLOR)
    x = label_end = float(LEFT_PX)
    for part in parts:
        width, name = read_number(part, "macs") * scale, str(part["part"])
        color = colors.setdefault(name, PART_COLORS[len(colors) % len(PART_COLORS)]) if width else UNNAMED_PART_COLOR
        picture.draw_box(x, y, width, BAR_PX, color, f"{name} {_format_macs(read_number(part, 'macs'))}")
        if width >= MIN_NAMED_PART_PX and x >= label_end:
            picture.draw_text(x, y + BAR_PX + 14, _shorten_name(name, MAX_PART_NAME), size=11, color=PALE)
            label_end = x + PART_LETTER_PX * min(len(name), MAX_PART_NAME) + PART_LETTER_PX
        x += width
    picture.draw_text(LEFT_PX + macs * scale + 6, y + 17, _format_macs(macs), size=12, color=INK)


def draw_expect_chart(rows: Sequence[Row]) -> str:
    """Draw a bar for each graph, its dark part the time of the multiply-adds, and the causes of the rest."""
    graphs = [row for row in rows if row["type"] == "expect" and ": " not in str(row["part"])]
    machine = _find_machine(rows)
    threads = localize(f"{machine.get('threads', '')} スレッド", f"{machine.get('threads', '')} threads")
    where = localize("、", ", ").join([str(machine.get("cpu", "")), threads, f"ONNX Runtime {machine.get('ort', '')}"])
    picture = SvgPicture(localize("想定時間と実測時間", "Expected and measured time"), where)
    longest = max((max(read_number(row, "measured_ms"), read_number(row, "expected_ms")) for row in graphs), default=0.0) or 1.0
    for index, row in enumerate(graphs):
        _draw_expect_bar(picture, row, (850 - LEFT_PX) / longest, 92 + index * ROW_PX)
    y = 92 + len(graphs) * ROW_PX + 6
    picture.draw_key(LEFT_PX, y, GOOD, localize("積和演算（50% 以上）", "multiply-adds (50 % or more)"))
    picture.draw_key(LEFT_PX + 220, y, BAD, localize("積和演算（50% 未満）", "multiply-adds (less than 50 %)"))
    picture.draw_key(LEFT_PX + 440, y, REST, localize("そのほかの時間", "all other time"))
    return picture.render_svg()


def _draw_expect_bar(picture: SvgPicture, row: Row, scale: float, y: float) -> None:
    measured, expected = read_number(row, "measured_ms"), read_number(row, "expected_ms")
    is_inefficient, operators = row["verdict"] == INEFFICIENT, row["operators"]
    picture.draw_text(LEFT_PX - 10, y + 17, _shorten_name(str(format_value("part", row["part"])), MAX_BLAMED_NAME), anchor="end")
    picture.draw_box(LEFT_PX, y, measured * scale, BAR_PX, REST, _format_ms(measured))
    picture.draw_box(LEFT_PX, y, min(expected, measured) * scale, BAR_PX, BAD if is_inefficient else GOOD, _format_ms(expected))
    picture.draw_text(LEFT_PX + measured * scale + 6, y + 17, _format_ms(measured), size=12)
    blamed = list(operators.items())[:MAX_NAMED_OPERATORS] if isinstance(operators, dict) and is_inefficient else []
    causes = ", ".join(f"{operator[:MAX_BLAMED_NAME]} {_format_ms(ms)}" for operator, ms in blamed)
    words = f"{100 * read_number(row, 'efficiency'):.0f} %   {causes}"
    picture.draw_text(LEFT_PX, y + BAR_PX + 14, words, size=11, color=INK if is_inefficient else PALE)


def draw_coverage_chart(rows: Sequence[Row]) -> str:
    """Draw a bar a graph and backend: what has a kernel there, and what is left to the CPU."""
    picture = SvgPicture(localize("実行できる演算子", "What each backend can run"))
    picture.draw_key(MARGIN, 48, GOOD, localize("実行できる", "has a kernel"), side=10, text_x=16, text_y=9)
    picture.draw_key(MARGIN + 140, 48, BAD, localize("CPU で実行", "left to the CPU"), side=10, text_x=16, text_y=9)
    left, right = PLACE_LEFT_PX, PLACE_RIGHT_PX
    for number, row in enumerate(row for row in rows if row["type"] == "place" and row["supported"] is not None):
        y = 80.0 + PLACE_ROW_PX * number
        nodes, supported, boundaries = (int(read_number(row, name)) for name in ("nodes", "supported", "boundaries"))
        form = f" ({format_value('form', row['form'])})" if "form" in row else ""
        picture.draw_text(left - 10, y + 10, format_graph(str(row["graph"])) + form, size=12, anchor="end")
        picture.draw_text(left - 10, y + 23, str(format_value("backend", row["backend"])), size=11, color=PALE, anchor="end")
        width = (right - left) * supported / max(nodes, 1)
        picture.draw_box(left, y, width, 18, GOOD, f"{supported}")
        picture.draw_box(left + width, y, right - left - width, 18, BAD, f"{nodes - supported}")
        copies = localize(f"コピー {boundaries} 回", f"{boundaries} copies")
        picture.draw_text(right + 10, y + 14, f"{supported:,} / {nodes:,}, {copies}", size=12)
    return picture.render_svg()


def draw_profile_chart(rows: Sequence[Row]) -> str:
    """Draw the stages in one bar, below it the modules and operators that take most, and memory over time."""
    machine = _find_machine(rows)
    picture = SvgPicture(localize("時間の内訳", "Where the time goes"), f"{machine.get('cpu', '')}, ONNX Runtime {machine.get('ort', '')}")
    timed = [row for row in rows if row["type"] == "profile" and row["median_ms"] is not None]
    bottom = _draw_stages(picture, [row for row in timed if row["scope"] == "stage" and row["memory_mib"] is not None], 84.0)
    for scope, title in (("module", localize("モジュール", "Modules")), ("operator", localize("演算子", "Operators"))):
        bottom = _draw_slowest(picture, title, [row for row in timed if row["scope"] == scope], bottom + 34)
    memory = [row for row in rows if row["type"] == "memory"]
    if len(memory) > 1:
        _draw_memory(picture, memory, bottom + 34)
    return picture.render_svg()


def _draw_stages(picture: SvgPicture, rows: Sequence[Row], top: float) -> float:
    """Draw one bar of all stages and its legend; return where that ends."""
    total = sum(map(_read_median_ms, rows)) or 1.0
    x, key_x, key_y = float(MARGIN), float(MARGIN), top + STAGE_BAR_PX + 12
    for row in rows:
        width = (WIDTH - 2 * MARGIN) * _read_median_ms(row) / total
        picture.draw_box(x, top, width, STAGE_BAR_PX, _choose_color(row), f"{row['name']} {_read_median_ms(row):.1f} ms")
        x += width
    for row in rows:
        if _read_median_ms(row) < total / 100:
            continue
        words = f"{row['name']} {_read_median_ms(row):.1f} ms"
        if key_x + 15 + 7 * len(words) > WIDTH - MARGIN:
            key_x, key_y = float(MARGIN), key_y + PROFILE_ROW_PX
        picture.draw_key(key_x, key_y, _choose_color(row), words, side=10, text_x=15, text_y=9)
        key_x += 34 + 7 * len(words)
    return key_y + 14


def _draw_slowest(picture: SvgPicture, title: str, rows: Sequence[Row], top: float) -> float:
    """Draw a bar for each row that takes most time; return where they end."""
    slowest = sorted(rows, key=_read_median_ms, reverse=True)[:MAX_PROFILE_BARS]
    longest = max(map(_read_median_ms, slowest), default=0.0) or 1.0
    picture.draw_text(MARGIN, top, title, size=14, bold=True)
    for index, row in enumerate(slowest):
        y, ms, speedup = top + 12 + PROFILE_ROW_PX * index, _read_median_ms(row), row.get("speedup")
        picture.draw_text(PROFILE_LEFT_PX - 10, y + 12, f"{row['name']}  ({row['graph']})", size=12, anchor="end")
        width = (PROFILE_RIGHT_PX - PROFILE_LEFT_PX) * ms / longest
        picture.draw_box(PROFILE_LEFT_PX, y, width, PROFILE_ROW_PX - 5, _choose_color(row), f"{row['name']} {ms:.2f} ms")
        change = f"  {speedup:.2f}×" if isinstance(speedup, float) and row.get("verdict") in ("slower", "faster") else ""
        picture.draw_text(PROFILE_LEFT_PX + width + 6, y + 12, f"{ms:.2f} ms{change}", size=12)
    return top + 12 + PROFILE_ROW_PX * len(slowest)


def _draw_memory(picture: SvgPicture, rows: Sequence[Row], top: float) -> None:
    picture.draw_text(MARGIN, top, localize("メモリー（MiB）", "Memory (MiB)"), size=14, bold=True)
    last_ms = max(read_number(row, "at_ms") for row in rows) or 1.0
    most_mib = max(read_number(row, name) for row in rows for name in MEMORY_SERIES) or 1.0
    plot = ChartPlot(picture, PROFILE_LEFT_PX, PROFILE_RIGHT_PX, top + 14, MEMORY_HEIGHT_PX, last_ms, most_mib)
    plot.draw_levels({most_mib * share: f"{most_mib * share:.0f}" for share in (0.0, 0.5, 1.0)})
    for index, (name, (color, words)) in enumerate(MEMORY_SERIES.items()):
        plot.draw_curve([(read_number(row, "at_ms"), read_number(row, name)) for row in rows], color, 2.0)
        picture.draw_key(MARGIN, top + 16 + 20 * index, color, localize(*words), side=10, text_x=16, text_y=9)
    for x, label in ((plot.left, "0 ms"), (plot.right, f"{format_cell(last_ms)} ms")):
        picture.draw_text(x, plot.top + plot.height + 18, label, size=11, color=PALE, anchor="middle")


def draw_comparison(rows: Sequence[Row]) -> str:
    """Draw time against length, a line a candidate (medians, and from the least to the 90th percentile), of all graphs together, or else of the only one."""
    compared = [row for row in rows if row["type"] == "compare" and row["batch"] == 1] or [row for row in rows if row["type"] == "compare"]
    graph = "total" if any(row["graph"] == "total" for row in compared) else compared[0]["graph"]
    of_graph = [row for row in compared if row["graph"] == graph]
    picture = SvgPicture(
        localize("合計時間とテキストの長さ（中央値）", "Total time by length (medians)"),
        localize("縦線は最小値から 90 パーセンタイルまで", "vertical lines: minimum to 90th percentile"),
    )
    sizes = [read_number(row, "size") for row in of_graph]
    slowest_ms = max(read_number(row, "p90_ms") for row in of_graph) * 1.08
    plot = ChartPlot(picture, COMPARE_LEFT_PX, COMPARE_RIGHT_PX, COMPARE_TOP_PX, COMPARE_HEIGHT_PX, max(sizes) * 1.05, slowest_ms)
    plot.draw_levels(label_ms(slowest_ms))
    bottom = plot.top + plot.height
    for size in sorted(set(sizes)):
        picture.draw_line([(plot.scale_x(size), bottom), (plot.scale_x(size), bottom + 5)], INK)
        picture.draw_text(plot.scale_x(size), bottom + 18, f"{size:g}", size=11, color=PALE, anchor="middle")
    unit = localize("トークン数", "tokens") if graph == "bert" else localize("記号数", "symbols")
    picture.draw_text(plot.right, bottom + 36, unit, size=11, color=PALE, anchor="end")
    for index, name in enumerate(dict.fromkeys(str(row["candidate"]) for row in of_graph)):
        of_candidate = sorted((row for row in of_graph if row["candidate"] == name), key=lambda row: read_number(row, "size"))
        color = SERIES_COLORS[index % len(SERIES_COLORS)]
        _draw_candidate_line(plot, of_candidate, color, dashed=index >= len(SERIES_COLORS))
        wins, label = sum(bool(row["winner"]) for row in of_candidate), format_candidate(name)
        words = localize(
            f"{label}（{wins}/{len(of_candidate)} の長さで最速）", f"{label} (fastest at {wins} of {len(of_candidate)} lengths)"
        )
        picture.draw_key(plot.left, bottom + 52 + COMPARE_LEGEND_ROW_PX * index, color, words, text_x=20, text_y=10)
    return picture.render_svg()


def _draw_candidate_line(plot: ChartPlot, rows: Sequence[Row], color: str, *, dashed: bool) -> None:
    points = [(plot.scale_x(read_number(row, "size")), plot.scale_y(read_number(row, "median_ms"))) for row in rows]
    if len(points) > 1:
        plot.picture.draw_line(points, color, width=2, dashed=dashed)
    for (x, y), row in zip(points, rows, strict=True):
        plot.picture.draw_line([(x, plot.scale_y(read_number(row, "min_ms"))), (x, plot.scale_y(read_number(row, "p90_ms")))], color)
        plot.picture.draw_dot(x, y, color)


def draw_candidates(rows: Sequence[Row]) -> str:
    """Draw candidates in a plane, a panel a graph: how many times faster, and how near to the exact graph; those without figures are left out."""
    measured = [
        row
        for row in group_by_type(rows).get("optimise", [])
        if isinstance(row["speedup"], int | float) and isinstance(row["snr_db"], int | float)
    ]
    max_speedup = max([MIN_AXIS_SPEEDUP, *(read_number(row, "speedup") * 1.15 for row in measured)])
    picture = SvgPicture(width=PANEL_WIDTH_PX)
    for index, graph in enumerate(dict.fromkeys(str(row["graph"]) for row in measured)):
        top = PANEL_TOP_PX + index * (PANEL_HEIGHT_PX + PANEL_GAP_PX)
        plot = ChartPlot(picture, PANEL_LEFT_PX, PANEL_RIGHT_PX, top, PANEL_HEIGHT_PX, max_speedup, MAX_SNR_DB)
        picture.draw_text(plot.left, top - 14, format_graph(graph), bold=True)
        _draw_panel_axes(plot)
        _draw_points(plot, [row for row in measured if row["graph"] == graph])
    return picture.render_svg(20)


def _draw_panel_axes(plot: ChartPlot) -> None:
    plot.draw_levels({level: f"{level} dB" for level in SNR_LEVELS_DB}, gap=8)
    bottom = plot.top + plot.height
    step = 0.5 if plot.most_x <= 5 else float(round(plot.most_x / 6) or 1)
    for mark in range(int(plot.most_x / step) + 1):
        plot.picture.draw_text(plot.scale_x(mark * step), bottom + 18, f"{mark * step:g}×", size=11, color=PALE, anchor="middle")
    plot.picture.draw_line([(plot.scale_x(1.0), plot.top), (plot.scale_x(1.0), bottom)], PALE, dashed=True)
    words = localize("速さ（準備済みのグラフを 1 とする）", "times faster than the prepared graph")
    plot.picture.draw_text(plot.right, bottom + 34, words, size=11, anchor="end")


def _draw_points(plot: ChartPlot, rows: Sequence[Row]) -> None:
    """Draw points with their names next to them; a name moves down until it touches no point and no earlier name."""

    def locate_dot(row: Row) -> tuple[float, float]:
        return plot.scale_x(read_number(row, "speedup")), plot.scale_y(min(max(read_number(row, "snr_db"), 0.0), MAX_SNR_DB))

    occupied = [(x - 5, x + 5, y + 4) for x, y in map(locate_dot, rows)]
    for row in sorted(rows, key=lambda item: -read_number(item, "snr_db")):
        (x, y), name = locate_dot(row), format_candidate(str(row["candidate"]))
        plot.picture.draw_dot(x, y, KEPT_COLOR if row["kept"] else CANDIDATE_COLOR)
        width = LABEL_LETTER_PX * measure_columns(name)
        start, line_y = _find_free_position((x, y + 4), width, occupied)
        occupied.append((start, start + width, line_y))
        side, anchor = (1, "start") if start > x else (-1, "end")
        color = KEPT_COLOR if row["kept"] else INK
        plot.picture.draw_text(x + side * DOT_LABEL_GAP_PX, line_y, name, size=11, color=color, anchor=anchor)


def _find_free_position(dot: tuple[float, float], width: float, occupied: Sequence[tuple[float, float, float]]) -> tuple[float, float]:
    """Return the point where a name begins, and its line: right of its dot or left of it, as near to its height as can be."""
    x, line_y = dot
    right, left = x + DOT_LABEL_GAP_PX, x - DOT_LABEL_GAP_PX - width
    starts = [start for start in (right, left) if PANEL_LEFT_PX < start < PANEL_WIDTH_PX - width] or [right]
    while True:
        for start in starts:
            if not any(abs(line_y - y) < LABEL_LINE_PX and start < end and begin < start + width for begin, end, y in occupied):
                return start, line_y
        line_y += LABEL_LINE_PX


def _find_machine(rows: Iterable[Row]) -> Row:
    return next((row for row in rows if row["type"] == "machine"), {})


def _choose_color(row: Row) -> str:
    return STAGE_COLORS_ON_LIGHT.get(str(row["stage"]), INK)


def _read_median_ms(row: Row) -> float:
    return read_number(row, "median_ms")


def _shorten_name(name: str, longest: int) -> str:
    return name if len(name) <= longest else name[: longest - 1] + "…"


def _format_macs(macs: float) -> str:
    return f"{macs / 1e9:.3g} GMAC" if macs >= 1e9 else f"{macs / 1e6:.3g} MMAC"


def _format_ms(ms: float) -> str:
    return f"{ms:.3g} ms" if ms < 1000 else f"{ms:,.0f} ms"


CHARTS_BY_TYPE: dict[str, Callable[[Sequence[Row]], str]] = {
    "graph": draw_inspect_chart,
    "expect": draw_expect_chart,
    "profile": draw_profile_chart,
    "place": draw_coverage_chart,
    "compare": draw_comparison,
    "optimise": draw_candidates,
}
"""Kind of rows → what draws all rows of a report as SVG."""


def draw_chart(rows: Sequence[Row]) -> str | None:
    """Draw the chart as SVG; return None if these rows have none."""
    draw = next((CHARTS_BY_TYPE[str(row["type"])] for row in rows if row["type"] in CHARTS_BY_TYPE), None)
    try:
        return draw(rows) if draw is not None else None
    except LookupError:  # rows of another version, which lack a column: their tables are shown all the same
        return None
