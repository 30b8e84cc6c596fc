"""Plays lines to a sound device and counts the gaps, then stops lines in the middle and measures how soon the graphs are at rest.

    python -m tests.benchmarks.playing [--voice ID|PATH] [--bert ID|PATH] [--precision fast] [--device NAME] [--lines 6] [--stops 20]

Nothing is remembered from line to line. A gap is a moment in which a line that had begun had no sound ready for the device.
"""

import argparse
import threading
import time

import numpy as np

from app.compose.audio_outputs import open_player
from app.compose.speaker import Speaker
from app.compose.speaker_opening import open_speaker
from app.core.synthesis_types import SynthesisRequest

TEXT = "夕方には家に帰って、温かいお茶を飲みながら本を読みました。そのとき、遠くで鐘の音が静かに鳴り響いた。電車が遅れたため、約束の時間に間に合わないかもしれません。"
MOST_MS = 150.0


def main() -> None:
    """Prints the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("--voice", "--bert", "--precision", "--device"):
        parser.add_argument(name)
    parser.add_argument("--lines", type=int, default=6)
    parser.add_argument("--stops", type=int, default=20)
    options = parser.parse_args()
    speaker = open_speaker(options.voice, graph_precision=options.precision, bert=options.bert, force_bert=options.bert is not None)
    speaker.pipeline.warm_up()
    speaker.pipeline.caches.stored = None
    if options.lines:
        play(speaker, options.device, options.lines)
    stop(speaker, options.stops)


def play(speaker: Speaker, device: str | None, lines: int) -> None:
    """Plays a line several times, each to its end."""
    player = open_player(device, speaker.pipeline.voice.sampling_rate)
    for _ in range(lines):
        speaker.pipeline.caches.clear()
        gaps, began, first, length_s = player.underruns, time.perf_counter(), 0.0, 0.0
        for chunk in speaker.pipeline.synthesize(SynthesisRequest(TEXT), queued_s=lambda: player.queued_s):
            first = first or (0.0 if chunk.silence else time.perf_counter() - began)
            length_s += len(chunk.samples) / chunk.sampling_rate
            player.write_chunk(chunk)
        computed_s = time.perf_counter() - began
        player.wait_until_played()
        gaps = player.underruns - gaps
        print(f"{length_s:.1f} s of sound, computed in {computed_s:.2f} s, first audio {first * 1000:.0f} ms, {gaps} gaps", flush=True)
    player.close()


def stop(speaker: Speaker, stops: int) -> None:
    """Stops lines at random moments; each time the sessions must speak the same as before afterwards."""
    rng = np.random.default_rng(0)
    began = time.perf_counter()
    before = _samples(speaker)
    whole_s, taken_ms = time.perf_counter() - began, []
    for _ in range(stops):
        speaker.pipeline.caches.clear()
        cancelled = threading.Event()
        thread = threading.Thread(target=_until, args=(speaker, cancelled))
        thread.start()
        time.sleep(float(rng.uniform(0, 0.9 * whole_s)))
        asked = time.perf_counter()
        cancelled.set()
        speaker.terminate()
        thread.join()
        taken_ms.append((time.perf_counter() - asked) * 1000)
    same = np.array_equal(before, _samples(speaker))
    middle, worst = np.median(taken_ms), max(taken_ms)
    print(f"{stops} stops in {whole_s:.2f} s of computing: median {middle:.0f} ms, longest {worst:.0f} ms, at most {MOST_MS:.0f} ms")
    print(f"afterwards the same samples as before: {'yes' if same else 'NO'}")


def _samples(speaker: Speaker) -> np.ndarray:
    speaker.pipeline.caches.clear()
    return np.concatenate([chunk.samples for chunk in speaker.pipeline.synthesize(SynthesisRequest(TEXT))])


def _until(speaker: Speaker, cancelled: threading.Event) -> None:
    for _chunk in speaker.pipeline.synthesize(SynthesisRequest(TEXT), cancelled=cancelled.is_set):
        pass


if __name__ == "__main__":
    main()
