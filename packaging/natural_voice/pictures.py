#!/usr/bin/env python3
"""Draws the melody of ten sentences: what we ask for, what is measured of it, and the model's own.

    QT_QPA_PLATFORM=offscreen python3 packaging/natural_voice/pictures.py VOICE TEXTS FILE.png

Grey: the model's own melody, measured in its sound; blue: what is asked for; orange: what is measured in the sound. Semitones over 100 Hz.
"""

import sys
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QGuiApplication, QImage, QPainter, QPen

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "packaging/natural_voice")]

from evaluate import NaturalVoice, choose_lines, track_pitch  # noqa: E402

from app.core.sound.melody import build_melody  # noqa: E402
from app.core.sound.render_caches import RenderCaches  # noqa: E402
from app.core.synthesis_types import SynthesisRequest  # noqa: E402

SENTENCES = 10
WIDTH, ROW_HEIGHT, MARGIN = 1500, 190, 20
PX_PER_S = 220
SPAN_SEMITONES = 26.0
OWN, ASKED, MEASURED = QColor("#9a9a9a"), QColor("#1f6fd1"), QColor("#e07b00")


def measure_melodies(voice: NaturalVoice, text: str, speaker: int) -> dict[str, tuple[NDArray[np.float64], float, float]]:
    """Returns the three melodies in semitones, each with the seconds of a step and those where it begins."""
    pipeline, found = voice.pipeline, {}
    for name, fidelity in (("own", 0.0), ("measured", 1.0)):
        pipeline.caches = RenderCaches()
        request = SynthesisRequest(text, speaker=speaker, accent_fidelity=fidelity, pre_silence_s=0.0, post_silence_s=0.0)
        chunks = list(pipeline.synthesize(request))
        found[name] = (track_pitch(np.concatenate([chunk.samples for chunk in chunks])), 0.005, 0.0)
    frame_s = pipeline.voice.hop_length / pipeline.voice.sampling_rate
    timings = next(chunk.phones for chunk in chunks if chunk.phones)
    frames = np.maximum(1, np.rint([(item.end_s - item.start_s) / frame_s for item in timings])).astype(np.int64)
    melody = build_melody(pipeline.g2p.convert_sentence(text), frames, request, pipeline.voice)
    # The timings are where the sound is, and the melody expects those of the frames.
    found["asked"] = (12 * np.log2(melody.f0.astype(np.float64) / 100), frame_s / 2, pipeline.voice.architecture.sound_lead_s)
    return found


def draw_curve(painter: QPainter, curve: tuple[NDArray[np.float64], float, float], middle: float, top: float, color: QColor) -> None:
    """Draws one melody as dots, so that gaps stay gaps."""
    values, step_s, start_s = curve
    painter.setPen(QPen(color, 3, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
    for index, value in enumerate(values):
        if not np.isnan(value):
            height = top + ROW_HEIGHT / 2 - (value - middle) / SPAN_SEMITONES * ROW_HEIGHT
            painter.drawPoint(QPointF(MARGIN + (start_s + index * step_s) * PX_PER_S, height))


def main() -> None:
    """Draws and writes the picture."""
    QGuiApplication(sys.argv[:1])
    voice = NaturalVoice(Path(sys.argv[1]))
    image = QImage(WIDTH, SENTENCES * (ROW_HEIGHT + MARGIN), QImage.Format.Format_RGB32)
    image.fill(Qt.GlobalColor.white)
    painter = QPainter(image)
    painter.setFont(QFont("Noto Sans CJK JP", 11))
    for row, text in enumerate(choose_lines(Path(sys.argv[2]), SENTENCES)):
        speaker, top = row % len(voice.speakers), row * (ROW_HEIGHT + MARGIN)
        melodies = measure_melodies(voice, text, speaker)
        middle = float(np.median(melodies["asked"][0]))
        for name, color in (("own", OWN), ("asked", ASKED), ("measured", MEASURED)):
            draw_curve(painter, melodies[name], middle, top, color)
        painter.setPen(Qt.GlobalColor.black)
        painter.drawText(QRectF(MARGIN, top + ROW_HEIGHT - 4, WIDTH, MARGIN + 4), f"{voice.speakers[speaker]}: {text}")
    painter.end()
    image.save(sys.argv[3])


if __name__ == "__main__":
    main()
