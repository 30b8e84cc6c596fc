"""Whether memory grows with the number of sentences: speaks thousands that all differ, and fits a line through what is resident.

    python -m tests.benchmarks.memory [--voice ID|PATH] [--bert ID|PATH] [--precision fast] [--sentences 2000]

Caches are as small as they go from the start, so that whatever still grows would grow for ever.
"""

import argparse
from collections.abc import Iterator

import numpy as np
import psutil

from app.compose.speaker_opening import open_speaker
from app.core.lru_cache import LRUCache
from app.core.sound.render_caches import RenderCaches
from app.core.synthesis_types import SynthesisRequest

SETTLED = 0.25  # of the sentences, until every graph has seen its longest one
MOST_KB = 4.0  # a sentence; ten times less than what one sentence's samples take


def sentences(count: int) -> Iterator[str]:
    """Different each, and of every length."""
    for number in range(count):
        yield "、".join(f"{number * 7 + part}個のりんご" for part in range(1 + number * 13 % 9)) + "を数えました。"


def main() -> None:
    """Prints resident memory on the way, and the slope."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("--voice", "--bert", "--precision"):
        parser.add_argument(name)
    parser.add_argument("--sentences", type=int, default=2000)
    options = parser.parse_args()
    pipeline = open_speaker(
        options.voice, graph_precision=options.precision, bert=options.bert, force_bert=options.bert is not None
    ).pipeline
    pipeline.caches = RenderCaches(*(LRUCache(2, 1 << 20) for _ in range(4)))  # type: ignore[arg-type]
    process, held = psutil.Process(), []
    for text in sentences(options.sentences):
        for _chunk in pipeline.synthesize(SynthesisRequest(text)):
            pass
        held.append(process.memory_info().rss / 1024)
        if len(held) % max(1, options.sentences // 10) == 0:
            print(f"{len(held)} sentences: {held[-1] / 1024:.0f} MB resident", flush=True)
    settled = round(options.sentences * SETTLED)
    slope = float(np.polyfit(np.arange(len(held) - settled), held[settled:], 1)[0])
    print(f"slope after {settled} sentences: {slope:+.2f} KB a sentence, {'flat' if slope <= MOST_KB else 'GROWS'}")


if __name__ == "__main__":
    main()
