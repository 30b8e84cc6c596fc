"""The natural voice of a first start: a process of its own prepares it while the window is built, so that the greeting has it."""

from concurrent.futures import Future, ThreadPoolExecutor
from subprocess import CompletedProcess

from PySide6.QtCore import QEventLoop, QPoint, QRect, QSize, Qt, QTimer
from PySide6.QtGui import QGuiApplication, QPainter, QPixmap
from PySide6.QtWidgets import QSplashScreen

from app.common.language import localize
from app.common.processes.launch import run_own_program
from app.install.natural_voice_first_start import is_natural_voice_waiting
from app.ui.theme.theme import draw_icon
from app.ui.voices.voice_tasks import KOKORO_ARGUMENTS

LONGEST_WAIT_S = 30.0  # it takes one to five seconds; after this the window opens with the included voice

SPLASH_SIZE, EDGE_PX, TEXT_PX = QSize(340, 170), 24, 36
POLL_MS = 20


class FirstVoicePreparation:
    """Begins when it is created, where the voice is waiting; `wait_until_over` is called before the window is made."""

    def __init__(self) -> None:
        self._preparation: Future[CompletedProcess[bytes]] | None = None
        if is_natural_voice_waiting():
            thread = ThreadPoolExecutor(1, "first voice")
            self._preparation = thread.submit(run_own_program, *KOKORO_ARGUMENTS, timeout_s=LONGEST_WAIT_S)
            thread.shutdown(wait=False)

    def wait_until_over(self) -> None:
        """Show what is done until the voice is there or could not be prepared; the window then reports why when it tries again."""
        if self._preparation is None or self._preparation.done():
            return
        splash = QSplashScreen(_draw_splash(localize("自然な声を準備しています…", "Preparing the natural voice…")))
        splash.show()
        loop, poll = QEventLoop(), QTimer()
        poll.timeout.connect(lambda: loop.quit() if self._preparation is None or self._preparation.done() else None)
        poll.start(POLL_MS)
        loop.exec()
        splash.close()


def _draw_splash(text: str) -> QPixmap:
    """Draw the icon above a text."""
    scale, palette = QGuiApplication.primaryScreen().devicePixelRatio(), QGuiApplication.palette()
    picture = QPixmap(SPLASH_SIZE * scale)
    picture.setDevicePixelRatio(scale)
    picture.fill(palette.color(palette.ColorRole.Window))
    painter = QPainter(picture)
    rect = QRect(QPoint(), SPLASH_SIZE)
    draw_icon("koebako").paint(painter, rect.adjusted(0, EDGE_PX, 0, -TEXT_PX - EDGE_PX))
    painter.setPen(palette.color(palette.ColorRole.WindowText))
    painter.drawText(rect.adjusted(0, 0, 0, -EDGE_PX), Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignBottom, text)
    painter.end()
    return picture
