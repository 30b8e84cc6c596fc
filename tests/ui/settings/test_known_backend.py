"""A backend in the settings that is none does not keep the window from speaking."""

import pytest

from app.common.errors import InputError
from app.settings.user_settings import Settings, load_settings, save_settings
from app.ui.main import replace_unknown_backend
from app.ui.settings.settings_store import SettingsStore


@pytest.mark.parametrize("backend", ["auto", "cpu", "directml:1", "bert=cpu,decoder=cuda"])
def test_a_backend_that_may_be_elsewhere_stays(backend: str) -> None:
    settings = Settings(backend=backend)
    assert replace_unknown_backend(settings, None) == (settings, None)


@pytest.mark.parametrize("backend", ["", "vulkan", 'a,b"c\n', "bert=cpu,bert=cpu", "cpu:1"])
def test_one_that_is_none_is_auto_and_said(backend: str) -> None:
    settings, notice = replace_unknown_backend(Settings(backend=backend, volume=0.5), None)
    assert settings == Settings(volume=0.5)
    assert notice is not None
    assert backend in notice.message


def test_what_was_to_be_said_before_is_still_said() -> None:
    before = InputError("Some settings were reset.", "")
    assert replace_unknown_backend(Settings(backend="vulkan"), before) == (Settings(), before)


@pytest.mark.usefixtures("qtbot")
def test_it_is_said_once() -> None:
    save_settings(Settings(backend="vulkan"))
    kept, _notice = load_settings()
    store = SettingsStore(replace_unknown_backend(kept, None)[0])
    store.kept = kept
    store.change_settings(speed=1.2)
    store.file.begin_flush()()
    store.file.close()
    assert load_settings() == (Settings(speed=1.2), None)
