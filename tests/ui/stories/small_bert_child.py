"""Our command line, but for the size of the BERT that voices share: that of the test's own server is small."""

import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3]))

from app.cli.main import main
from app.install import download_sources, install_bert


def take_small_one(folder: Path) -> None:
    """What is known of the published BERT, as of the one in `folder`."""
    from app.voices.bert_models import compute_vocabulary_sha256, read_vocabulary

    names = ("tokenizer.json", "config.json", "model.safetensors")
    download_sources.STANDARD_BERT_FILES = {name: download_sources.KnownFileFacts((folder / name).stat().st_size) for name in names}
    install_bert.STANDARD_VOCABULARY_SHA256 = compute_vocabulary_sha256(read_vocabulary(folder))
    install_bert.STANDARD_BERT_SIZES = (1, 16, 1024, 64)  # of three layers one is in use


if __name__ == "__main__":
    take_small_one(Path(os.environ["KOEBAKO_TEST_BERT"]))
    sys.exit(main())
