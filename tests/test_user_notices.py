"""What stops nothing is told once, wherever it was noticed, and written to the log."""

import threading
from collections.abc import Iterator

import pytest

from app.common.errors import AppError, InputError
from app.common.user_notices import set_notice_handler, show_notice


@pytest.fixture(autouse=True)
def _nobody_is_told() -> Iterator[None]:
    yield
    set_notice_handler(None)


def test_each_is_told_once_from_every_thread(caplog: pytest.LogCaptureFixture) -> None:
    told: list[AppError] = []
    set_notice_handler(told.append)
    first, second = InputError("a", "b"), InputError("a", "c")
    show_notice(first)
    threads = [threading.Thread(target=show_notice, args=(error,)) for error in (first, second, InputError("a", "b"), None)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert told == [first, second]
    assert caplog.messages.count("a b") == 3, "the log has them all"
    set_notice_handler(None)
    show_notice(InputError("d"))
    assert len(told) == 2
