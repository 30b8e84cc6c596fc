"""One round of the campaign: takes are made in a process that is killed, and none is lost."""

import sys

import pytest

from tests.campaigns.takes.rounds import run

SEED = 3  # the process is killed after fifty-eight deeds


@pytest.mark.skipif(sys.platform == "win32", reason="the child asks a pipe without waiting, as Python 3.11 can on Unix alone")
def test_a_killed_process_loses_no_take() -> None:
    made, lost = run(1, seed=SEED)
    assert made
    assert lost == []
