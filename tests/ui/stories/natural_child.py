"""Our command line with the small BERT of a test's own server, and voices that are prepared once a run."""

import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3]))

from app.cli.main import main

if __name__ == "__main__":
    from app.install import sandboxed_import
    from tests import remembered
    from tests.ui.stories.small_bert_child import take_small_one

    sandboxed_import.prepare_voice_in_sandbox = remembered.prepare_remembered
    take_small_one(Path(os.environ["KOEBAKO_TEST_BERT"]))
    sys.exit(main())
