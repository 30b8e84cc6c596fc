"""Keys that the user has given away stay where they are, also when a later version begins to use them."""

from __future__ import annotations

from app.ui.actions.key_bindings import KeyBinding, drop_reassigned_keys, save_shortcuts
from tests.ui.conftest import OpenWindow


def test_a_usual_key_gives_way_to_the_users_own() -> None:
    mine = {"save_all": KeyBinding(("Ctrl+S",)), "play": KeyBinding((), ("N",))}
    assert drop_reassigned_keys(KeyBinding(("Ctrl+S", "Ctrl+T"), ("N", "M")), mine) == KeyBinding(("Ctrl+T",), ("M",))
    assert drop_reassigned_keys(KeyBinding(("Ctrl+N",)), mine) == KeyBinding(("Ctrl+N",))


def test_a_key_of_an_older_version_still_does_what_it_did(open_window: OpenWindow) -> None:
    save_shortcuts({"save_all": KeyBinding(("Ctrl+S",))})
    actions = open_window(ready=False).window_actions
    assert actions["save_all"].shortcut().toString() == "Ctrl+S"
    assert actions["save_project"].shortcut().isEmpty()
    assert actions["open_project"].shortcut().toString() == "Ctrl+O"
    actions.apply_bindings({})
    assert actions["save_project"].shortcut().toString() == "Ctrl+S"
