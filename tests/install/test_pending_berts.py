"""A BERT that is killed while its second step is adopted can be read at any moment, and the next run finishes it."""

import os
import pickle
import shutil
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from app.common.progress import Report, ignore_report
from app.install import bert_preparation, install_bert
from app.install.bert_preparation import prepare_bert
from app.install.install_bert import add_bert
from app.install.refinement_runs import refine_installed
from app.voices.bert_models import BertPreparationResult, read_bert
from app.voices.pending_refinement import BERT_PENDING_FILES, is_refinement_pending
from tests.disk_faults import FaultyDisk
from tests.install.test_install_bert import refine_narrow

ROOT = Path(__file__).parents[2]
RESULT_NAME = "result.pickle"
KILLED_ANYWHERE = """
import sys
from pathlib import Path
from tests.install.test_pending_berts import kill_at_every_write
print(kill_at_every_write(*map(Path, sys.argv[1:])))
"""


def adopt_made(
    made: Path, _folder: Path, results: Path, _report: Report = ignore_report, *, is_paused: Callable[[], bool]
) -> BertPreparationResult:
    """Refines by what was computed before."""
    assert not is_paused()
    for path in made.iterdir():
        if path.name != RESULT_NAME:
            shutil.copyfile(path, results / path.name)
    result = pickle.loads((made / RESULT_NAME).read_bytes())
    assert isinstance(result, BertPreparationResult)
    return result


def kill_at_every_write(folder: Path, made: Path) -> int:
    """Return how many moments there were; in a process without threads, as it forks."""
    if sys.platform == "win32":
        raise NotImplementedError("only Unix forks")
    kept, wanted = folder.parent.parent / "kept", folder.parent.parent / "wanted"
    refine = partial(refine_installed, is_paused=lambda: False, refine=partial(adopt_made, made))
    shutil.copytree(folder, kept)
    refine(read_bert(folder))
    shutil.copytree(folder, wanted)
    for moment in range(1, 1000):
        shutil.rmtree(folder)
        shutil.copytree(kept, folder)
        if (child := os.fork()) == 0:
            with FaultyDisk("killed", moment).inserted():
                refine(read_bert(folder))
            os._exit(0)
        _, status = os.waitpid(child, 0)
        bert = read_bert(folder)  # which looks for every file that it names
        assert (folder / bert.exact_graph.name).with_suffix(".data").is_file()
        refine(bert)
        assert not is_refinement_pending(folder)
        assert not BERT_PENDING_FILES & {path.name for path in folder.iterdir()}
        there = {path.name: path.read_bytes() for path in folder.iterdir()}
        assert there.items() >= {path.name: path.read_bytes() for path in wanted.iterdir()}.items()
        if os.waitstatus_to_exitcode(status) == 0:
            return moment
    raise AssertionError("it never came to its end")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="a process for each moment would take too long")
@pytest.mark.parametrize("is_kept_whole", [False, True])
def test_killed_at_any_write_of_adopting_the_bert_is_whole(
    tiny_models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_kept_whole: bool
) -> None:
    """Where the source's own graph is kept after all, the lean one that spoke until then is removed."""
    monkeypatch.setattr(install_bert, "prepare_bert_in_sandbox", partial(prepare_bert, width=64))
    bert = add_bert(tiny_models / "deberta-tiny" / "model_fp16.onnx", id="mine").bert
    if is_kept_whole:
        monkeypatch.setattr(bert_preparation, "LEAN_BERT_TOLERANCE", 0.0)  # nothing is ever that equal
    (made := tmp_path / "made").mkdir()
    result = refine_narrow(bert.folder, made, is_paused=lambda: False)
    assert (result.kept_whole is not None) == is_kept_whole
    (made / RESULT_NAME).write_bytes(pickle.dumps(result))
    command = [sys.executable, "-c", KILLED_ANYWHERE, str(bert.folder), str(made)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 5
