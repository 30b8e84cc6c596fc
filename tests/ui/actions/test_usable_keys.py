"""Keys that the user has given away stay where they are, also when a later version begins to use them."""

from app.ui.actions.action_definitions import ActionSpec
from app.ui.actions.window_actions import KeyBinding, resolve_binding, save_shortcuts
from tests.ui.conftest import OpenWindow


def test_a_usual_key_gives_way_to_the_users_own() -> None:
    mine = {"save_all": KeyBinding(("Ctrl+S",)), "play": KeyBinding((), ("N",))}
    assert resolve_binding(ActionSpec("x", ("", ""), keys=("Ctrl+S", "Ctrl+T"), list_keys=("N", "M")), mine) == KeyBinding(
        ("Ctrl+T",), ("M",)
    )
    assert resolve_binding(ActionSpec("x", ("", ""), keys=("Ctrl+N",)), mine) == KeyBinding(("Ctrl+N",))


def test_a_key_of_an_older_version_still_does_what_it_did(open_window: OpenWindow) -> None:
    save_shortcuts({"save_all": KeyBinding(("Ctrl+S",))})
    actions = open_window(ready=False).window_actions
    assert actions["save_all"].shortcut().toString() == "Ctrl+S"
    assert actions["save_project"].shortcut().isEmpty()
    assert actions["open_project"].shortcut().toString() == "Ctrl+O"
    actions.apply_bindings({})
    assert actions["save_project"].shortcut().toString() == "Ctrl+S"
