"""From HTS voices and texts to the shipped starter voice, in one command. Stops and starts again where it was.

Usage: `python packaging/starter_voice/build.py --shared ../shared --work WORK --resources resources`
"""

import argparse
import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
# One thread that sleeps while it waits leaves the other cores to other people; the caches and large malloc thresholds
# keep the many shapes of the batches from being planned and mapped again each step (half the speed without them).
SETTINGS = {
    "OMP_NUM_THREADS": "1",
    "OMP_WAIT_POLICY": "PASSIVE",
    "ONEDNN_PRIMITIVE_CACHE_CAPACITY": "30000",
    "MALLOC_MMAP_THRESHOLD_": str(2**30),
    "MALLOC_TRIM_THRESHOLD_": str(2**31),
    "MALLOC_TOP_PAD_": str(2**28),
}


def run(script: str, *arguments: str | Path) -> None:
    """One step in a process of its own; its failure ends the build."""
    print(f"-- {script}", flush=True)
    subprocess.run([sys.executable, HERE / script, *map(str, arguments)], env={**os.environ, **SETTINGS}, check=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shared", type=Path, default=Path("../shared"), help="folder with htsvoice/, texts/ and judges/")
    parser.add_argument("--work", type=Path, required=True, help="corpus, checkpoints and figures (8 GB)")
    parser.add_argument("--resources", type=Path, default=Path("resources"), help="where voices/mei and bert/starter are written")
    parser.add_argument("--bert-minutes", type=float, default=12)
    parser.add_argument("--minutes", type=float, default=45)
    parser.add_argument("--lines", type=int, default=60, help="held-out lines to evaluate")
    options = parser.parse_args()
    sources, results = ("--shared", options.shared, "--work", options.work), ("--resources", options.resources)
    run("corpus.py", *sources)
    run("pretrain.py", *sources, "--minutes", str(options.bert_minutes))
    run("train.py", *sources, "--minutes", str(options.minutes))
    run("export.py", *sources, *results)
    run("evaluate.py", *sources, *results, "--lines", str(options.lines))
    run("sweep.py", *sources, *results)
    run("pictures.py", *sources, *results)
    run("card.py", "--work", options.work, *results)
