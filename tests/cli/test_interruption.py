"""Requests to end: kept where they would break something, and acted on then."""

from __future__ import annotations

import signal

import pytest

from app.cli.interruption import Interruption


def test_a_request_within_an_import_waits_for_its_end() -> None:
    done = []

    def start() -> None:
        with interruption.afterwards():
            signal.raise_signal(signal.SIGINT)
            done.append("imported")
        done.append("went on")

    with Interruption() as interruption, pytest.raises(KeyboardInterrupt):
        start()
    assert done == ["imported"]


def test_without_a_request_one_goes_on() -> None:
    with Interruption() as interruption:
        with interruption.afterwards():
            pass
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
