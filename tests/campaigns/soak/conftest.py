"""The window's fixtures."""

from tests.ui.conftest import _in_the_window, _no_unexpected_dialog, _nothing_goes_on, open_window, player, qapp, qtbot

__all__ = ["_in_the_window", "_no_unexpected_dialog", "_nothing_goes_on", "open_window", "player", "qapp", "qtbot"]
