"""Shows the lines as cards with the names of their voices, puts the editor into them, and says what the mouse finds there."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import QAbstractItemModel, QEvent, QModelIndex, QObject, QPoint, QPointF, QRect, QRectF, QSize, Qt, Signal, Slot
from PySide6.QtGui import QColor, QCursor, QFontMetricsF, QIcon, QMouseEvent, QPainter, QPen, QPixmap
from PySide6.QtWidgets import QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from app.common.language import localize
from app.core.script.script import Character, Line, choose_known_name
from app.engine.open_voices import OpenedVoice
from app.ui.display_names import VoiceLabel
from app.ui.script.card_layout import AVATAR, CARD_RADIUS_PX, CardLayout, CardRects, format_card_seconds
from app.ui.script.line_editor import LineEditor
from app.ui.script.script_model import CHARACTER_ROLE, LINE_ROLE, STATE_ROLE, Index, LinePhase, LineState, ScriptModel, describe_line_state
from app.ui.theme.theme import Theme, draw_icon, find_character_colour
from app.ui.widgets.painting import PortraitPictures, choose_letter_colors, draw_voice_picture
from app.voices.voice_labels import format_speaker, format_style

NEUTRAL_STYLE = "Neutral"


class RowSizeCache(QObject):
    """The sizes of a model's rows, measured when they are asked for first.

    Args:
        model: must reach this object before any view of it, which asks while it hears of a change.
        measure: the size of a row.
    """

    def __init__(self, model: QAbstractItemModel, measure: Callable[[int], QSize], parent: QObject) -> None:
        super().__init__(parent)
        self.version = 0  # another one whenever a row may have another size than before
        self._measure = measure
        self._sizes: list[QSize | None] = [None] * model.rowCount()
        model.rowsInserted.connect(self._insert_rows)
        model.rowsRemoved.connect(self._remove_rows)
        model.dataChanged.connect(self._forget_changed_rows)

    def find_size(self, row: int) -> QSize:
        size = self._sizes[row]
        if size is None:
            size = self._sizes[row] = self._measure(row)
        return size

    @property
    def unmeasured_count(self) -> int:
        """Return how many rows are yet to be measured, which is what takes long."""
        return self._sizes.count(None)

    def forget_sizes(self) -> None:
        """Forget all sizes after the list has got another width."""
        self._replace_rows(0, len(self._sizes), len(self._sizes))

    def _replace_rows(self, first: int, end: int, count: int) -> None:
        """Replace some rows by `count` unmeasured ones."""
        self._sizes[first:end] = [None] * count
        self.version += 1

    @Slot()
    def _insert_rows(self, _parent: Index, first: int, last: int) -> None:
        self._replace_rows(first, first, last + 1 - first)

    @Slot()
    def _remove_rows(self, _parent: Index, first: int, last: int) -> None:
        self._replace_rows(first, last + 1, 0)

    @Slot()
    def _forget_changed_rows(self, first: Index, last: Index, roles: Sequence[int]) -> None:
        if Qt.ItemDataRole.DisplayRole in roles:
            self._replace_rows(first.row(), last.row() + 1, last.row() + 1 - first.row())


class LineVoiceNames:
    """The known voices by the ids that lines store; the empty id is the voice in use."""

    def __init__(self) -> None:
        self.names: dict[str, str] = {}
        self._styles: dict[str, Sequence[str]] = {}
        self._speakers: dict[str, Sequence[str]] = {}
        self._blends: dict[str, Sequence[str]] = {}
        self._find_former_name: Callable[[str], str] = str

    def set_current_voice(self, voice: OpenedVoice) -> None:
        """Take the voice in use."""
        styles = [name for _, name in voice.styles]
        self.add_voice("", voice.name, styles, [name for _, name in voice.speakers], voice.architecture.list_blends(styles))

    def set_voices(self, voices: Sequence[VoiceLabel], find_name: Callable[[str], str]) -> None:
        """Take all voices there are; `find_name` knows the names of voices that are gone."""
        self._find_former_name = find_name
        for names in (self.names, self._styles, self._speakers, self._blends):
            names.clear()
        for voice in voices:
            self.add_voice(voice.id, voice.name, voice.styles, voice.speakers, voice.blends)

    def add_voice(self, voice: str, name: str, styles: Sequence[str], speakers: Sequence[str], blends: Sequence[str] = ()) -> None:
        """Add a voice, or change its names of styles and speakers."""
        self.names[voice], self._styles[voice], self._speakers[voice], self._blends[voice] = name, styles, speakers, blends

    def is_missing(self, voice: str) -> bool:
        """Return whether a voice is missing; none is known to be missing before all voices are known."""
        return bool(voice) and len(self.names) > 1 and voice not in self.names

    def find_voice_name(self, voice: str) -> str:
        """Return the name of a voice, for people."""
        if self.is_missing(voice):
            return localize(f"{self._find_missing_name(voice)}（見つかりません）", f"{self._find_missing_name(voice)} (missing)")
        return self.names.get(voice) or voice or self.names.get("", "")

    def _find_missing_name(self, voice: str) -> str:
        """Return what it was called: ids are nothing for people."""
        return self._find_former_name(voice) or localize("不明な声", "Unknown voice")

    def find_style(self, line: Line) -> str:
        """Return the style that will be heard; the line's own if its voice is not known."""
        return choose_known_name(line.settings.style, self._styles.get(line.settings.voice, ()))

    def find_speaker(self, line: Line) -> str:
        """Return the speaker that will be heard; empty for a voice with one speaker, and for a blend of two."""
        speakers = self._speakers.get(line.settings.voice, ())
        is_blend = line.settings.style in self._blends.get(line.settings.voice, ())
        return choose_known_name(line.settings.speaker, speakers) if len(speakers) > 1 and not is_blend else ""

    def format_summary(self, line: Line) -> str:
        """Return speaker and style in short; the voice itself if it is missing."""
        if self.is_missing(line.settings.voice):
            return self._find_missing_name(line.settings.voice)
        speaker, style = format_speaker(self.find_speaker(line)), format_style(self.find_style(line))
        # Where a voice has only the neutral style, the speaker is enough; the card has little room.
        if speaker and style == format_style(NEUTRAL_STYLE) and len(self._styles.get(line.settings.voice, ())) == 1:
            return speaker
        return localize("・", " · ").join(filter(None, (speaker, style)))

    def describe_voice(self, line: Line) -> str:
        """Return who speaks and in which style, for those who do not see the card."""
        who = format_speaker(self.find_speaker(line)) or self.find_voice_name(line.settings.voice)
        return localize("、", ", ").join(filter(None, (who, format_style(self.find_style(line)))))

    def find_special_style(self, line: Line) -> str:
        """Return the name of a style that is not the usual one; empty for a neutral one."""
        style = self.find_style(line)
        return "" if style == NEUTRAL_STYLE else format_style(style)

    def format_explanation(self, line: Line) -> str:
        """Return speaker and style, with those that the voice lacks."""
        style = line.settings.style
        if self.is_missing(line.settings.voice):
            name = self._find_missing_name(line.settings.voice)
            return localize(f"声が見つかりません: {name}", f"Missing voice: {name}")
        if style and style != self.find_style(line):
            return localize(
                f"この声に「{format_style(style)}」はないため、「{format_style(self.find_style(line))}」で話します。",
                f"This voice has no “{format_style(style)}” style; it speaks in “{format_style(self.find_style(line))}”.",
            )
        return self.format_summary(line)


class LineDelegate(QStyledItemDelegate):
    """One card for every line.

    Signals:
        play_requested(str): the button of a line was clicked.
        editor_opened(LineEditor): so that its own signals can be connected.
    """

    play_requested = Signal(str)
    editor_opened = Signal(object)

    def __init__(self, view: QListView, model: ScriptModel, theme: Theme) -> None:
        super().__init__(view)
        self._view, self._model = view, model
        self.layout = CardLayout(view.font())
        self.sizes = RowSizeCache(model, lambda row: QSize(view.viewport().width(), self.compute_row_height(row)), self)
        self.voices = LineVoiceNames()
        self._pictures: dict[str, QPixmap] = {}  # of voices that have one, by id; the others get their first letter
        self._portraits = PortraitPictures(view, round(AVATAR))
        self.set_theme(theme)

    def set_theme(self, theme: Theme) -> None:
        """Apply the colours of a theme."""
        self._theme = theme
        muted, accent = QColor(theme.muted), QColor(theme.accent)
        self._icons: dict[str, QIcon] = {name: draw_icon(name, muted) for name in ("play", "waiting", "done", "drag_out")}
        self._icons |= {
            "stop": draw_icon("stop", accent),
            "hovered": draw_icon("play", accent),
            "hovered_handle": draw_icon("drag_out", accent),
            "error": draw_icon("error", QColor(theme.error_text)),
        }

    def show_voices(self, voices: Sequence[VoiceLabel], find_name: Callable[[str], str]) -> None:
        """Take all voices with their icons; `find_name` knows the names of voices that are gone."""
        scale, palette = self._view.devicePixelRatioF(), self._view.palette()
        self.voices.set_voices(voices, find_name)
        self._pictures = {
            voice.id: draw_voice_picture(voice.name, voice.icon, round(AVATAR), scale, palette)
            for voice in voices
            if voice.icon is not None
        }

    def sizeHint(self, _option: QStyleOptionViewItem, index: Index) -> QSize:
        """Return the width of the list and the height of the text."""
        return self.sizes.find_size(index.row())

    def compute_row_height(self, row: int) -> int:
        """Return the height of a row with its present text, in pixels."""
        line = self._model.find_line(row)
        return round(self.layout.compute_row_height(line.text if line else "", self._view.viewport().width()))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Paint the card and everything on it, without the text while its editor is open."""
        line, state, character = index.data(LINE_ROLE), index.data(STATE_ROLE), index.data(CHARACTER_ROLE)
        look, rects = option.state, self.layout.compute_rects(QRectF(option.rect))
        is_edited = self._view.indexWidget(index) is not None
        is_focused = bool(look & QStyle.StateFlag.State_HasFocus) and (self._view.hasFocus() or is_edited)
        mouse = QPointF(self._view.viewport().mapFromGlobal(QCursor.pos()) if look & QStyle.StateFlag.State_MouseOver else QPoint(-1, -1))
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._paint_card(painter, rects, state, look, is_focused=is_focused)
        painter.setFont(self.layout.small)
        painter.setPen(QColor(self._theme.muted))
        number = str(self._model.find_script_row(index.row()) + 1)
        painter.drawText(rects.number, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight, number)
        self._paint_avatar(painter, rects.avatar, line, character)
        if rects.name.width():
            self._paint_names(painter, rects, line, character)
            painter.setFont(self.layout.small)
        self._paint_length(painter, rects.length, line, state)
        handle = "hovered_handle" if rects.handle.contains(mouse) else "drag_out"
        self._icons[handle].paint(painter, _shrink_to_square(rects.handle, 18))
        self._paint_button(painter, rects.button, state, is_hovered=rects.button.contains(mouse))
        if not is_edited:
            painter.setPen(QColor(self._theme.text if line.text else self._theme.muted))
            for layout in self.layout.build_text_layouts(line.text or localize("（空の行）", "(empty line)"), rects.text.width()):
                layout.draw(painter, rects.text.topLeft())
        painter.restore()

    def _paint_card(self, painter: QPainter, rects: CardRects, state: LineState, look: QStyle.StateFlag, *, is_focused: bool) -> None:
        accent, is_selected = QColor(self._theme.accent), bool(look & QStyle.StateFlag.State_Selected)
        edge = 2.0 if is_focused else 1.0
        border = QColor(self._theme.edge if look & QStyle.StateFlag.State_MouseOver else self._theme.border)
        painter.setPen(QPen(accent if is_selected or is_focused else border, edge))
        painter.setBrush(QColor(self._theme.notice if is_selected else self._theme.surface))
        painter.drawRoundedRect(rects.card.adjusted(edge / 2, edge / 2, -edge / 2, -edge / 2), CARD_RADIUS_PX, CARD_RADIUS_PX)
        if state.phase is LinePhase.SPEAKING:
            played = rects.card.adjusted(CARD_RADIUS_PX, rects.card.height() - 4, -CARD_RADIUS_PX, -1)
            painter.fillRect(played, QColor(self._theme.faint))
            played.setWidth(played.width() * state.share)
            painter.fillRect(played, accent)

    def _paint_avatar(self, painter: QPainter, area: QRectF, line: Line, character: Character | None) -> None:
        """Paint the portrait of who speaks, else the voice's icon, else a disc with the first letter."""
        voice, is_missing = line.settings.voice, self.voices.is_missing(line.settings.voice)
        picture = self._portraits.find_picture(character.portrait) if character is not None else None
        picture = picture or (None if is_missing else self._pictures.get(voice))
        if picture is not None:
            painter.drawPixmap(area.topLeft(), picture)
            self._paint_ring(painter, area, character)
            return
        name = self.voices.find_voice_name(voice) if character is None else character.name
        ground, letter = choose_letter_colors(name, self._theme.name == "dark")
        if character is not None:
            ground, letter = find_character_colour(character.colour, self._theme.name), QColor(self._theme.on_accent)
        if is_missing:
            name, ground, letter = "?", QColor(self._theme.error), QColor(self._theme.error_text)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(ground)
        painter.drawEllipse(area)
        painter.setPen(letter)
        painter.drawText(area, Qt.AlignmentFlag.AlignCenter, name[:1].upper() or "…")

    def _paint_ring(self, painter: QPainter, area: QRectF, character: Character | None) -> None:
        """Paint the character's colour around a picture, which has none."""
        if character is not None:
            painter.setPen(QPen(find_character_colour(character.colour, self._theme.name), 2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawEllipse(area.adjusted(1, 1, -1, -1))

    def _find_name(self, line: Line, character: Character | None) -> str:
        """Return who speaks: the character, else the speaker, else the voice."""
        if character is not None:
            return character.name.replace("\n", " ")
        return format_speaker(self.voices.find_speaker(line)) or self.voices.find_voice_name(line.settings.voice)

    def _paint_names(self, painter: QPainter, rects: CardRects, line: Line, character: Character | None) -> None:
        """Paint who speaks, and below it the style, in amber where the character has another one; a usual style is not named."""
        is_missing, metrics = self.voices.is_missing(line.settings.voice), QFontMetricsF(self.layout.who)
        colour = QColor(self._theme.muted) if character is None else find_character_colour(character.colour, self._theme.name)
        style = "" if is_missing else self.voices.find_special_style(line)
        is_own = character is not None and not is_missing and line.settings.style != character.settings.style
        rows = [(self._find_name(line, character), QColor(self._theme.error_text) if is_missing and character is None else colour)]
        if is_missing and character is not None:
            rows.append((self.voices.find_voice_name(line.settings.voice), QColor(self._theme.error_text)))
        elif style:
            rows.append((style, QColor(self._theme.edited if is_own else self._theme.muted)))
        painter.setFont(self.layout.who)
        areas = (rects.name, rects.style) if len(rows) > 1 else (rects.name | rects.style,)
        for area, (text, pen) in zip(areas, rows, strict=True):
            painter.setPen(pen)
            elided = metrics.elidedText(text, Qt.TextElideMode.ElideRight, area.width())
            painter.drawText(area, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, elided)

    def _paint_length(self, painter: QPainter, area: QRectF, line: Line, state: LineState) -> None:
        """Paint the seconds of the last rendering, with a hook before them while the line is unchanged since."""
        if icon := {LinePhase.FAILED: "error", LinePhase.PREPARING: "waiting"}.get(state.phase):
            self._icons[icon].paint(painter, _shrink_to_square(QRectF(area.right() - 20, area.top(), 20, area.height()), 20))
            return
        if state.last_rendering is None:
            return
        painter.setPen(QColor(self._theme.text if state.last_rendering.line.is_spoken_like(line) else self._theme.muted))
        painter.drawText(
            area, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight, format_card_seconds(state.last_rendering.length_s)
        )
        if state.is_done(line):
            self._icons["done"].paint(painter, _shrink_to_square(QRectF(area.left(), area.top(), 16, area.height()), 16))

    def _paint_button(self, painter: QPainter, area: QRectF, state: LineState, *, is_hovered: bool) -> None:
        if is_hovered:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(self._theme.faint))
            painter.drawEllipse(area)
        is_busy = state.phase in (LinePhase.SPEAKING, LinePhase.PREPARING)
        self._icons["stop" if is_busy else "hovered" if is_hovered else "play"].paint(painter, _shrink_to_square(area, 20))

    def createEditor(self, parent: QWidget, _option: QStyleOptionViewItem, index: Index) -> QWidget:
        """Create a plain text field in the place of the text."""
        editor = LineEditor(parent, self.layout.font, index.data(LINE_ROLE).id)
        self.editor_opened.emit(editor)
        return editor

    def setEditorData(self, editor: QWidget, index: Index) -> None:
        """Show the document's text, which may have changed by undo."""
        assert isinstance(editor, LineEditor)
        editor.show_text(index.data())

    def setModelData(self, editor: QWidget, model: QAbstractItemModel, index: Index) -> None:
        """Do nothing: the text is in the document already."""

    def updateEditorGeometry(self, editor: QWidget, option: QStyleOptionViewItem, _index: Index) -> None:
        """Place the editor over the text, down to the end of the card: a field that is slightly too low would scroll."""
        rects = self.layout.compute_rects(QRectF(option.rect))
        rects.text.setBottom(rects.card.bottom() - 4)
        editor.setGeometry(rects.text.toAlignedRect())

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Leave the editor's keys to the editor; handle all other events as usual."""
        if event.type() in (QEvent.Type.KeyPress, QEvent.Type.ShortcutOverride):
            return False
        return super().eventFilter(watched, event)

    def editorEvent(self, event: QEvent, model: QAbstractItemModel, option: QStyleOptionViewItem, index: Index) -> bool:
        """Play the line after a click on its button."""
        is_release = event.type() == QEvent.Type.MouseButtonRelease
        if is_release and isinstance(event, QMouseEvent) and event.button() == Qt.MouseButton.LeftButton:
            button = self.layout.compute_rects(QRectF(option.rect)).button
            if button.contains(event.position()):
                self.play_requested.emit(index.data(LINE_ROLE).id)
                return True
        return super().editorEvent(event, model, option, index)

    def describe_card_part(self, rects: CardRects, point: QPointF, index: QModelIndex) -> str:
        """Return what the mouse finds on a card."""
        line, state = index.data(LINE_ROLE), index.data(STATE_ROLE)
        if rects.button.contains(point):
            return localize("この行を再生します。", "Plays this line.")
        if rects.handle.contains(point):
            return localize(
                "ほかのアプリへ音声ファイルとしてドラッグします。", "Drag this to another program: it gets the sound as a file."
            )
        character = index.data(CHARACTER_ROLE)
        if rects.who.contains(point):
            named = localize(f"登場人物: {character.name}", f"Character: {character.name}") if character is not None else ""
            voice = self.voices.find_voice_name(line.settings.voice)
            return "\n".join(filter(None, (named, voice, self.voices.format_explanation(line))))
        return describe_line_state(line, state) if rects.length.contains(point) else ""


def _shrink_to_square(area: QRectF, edge: int) -> QRect:
    return QRectF(area.center().x() - edge / 2, area.center().y() - edge / 2, edge, edge).toRect()
