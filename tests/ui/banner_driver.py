"""The banner's button as a user presses it: by what it says, never whatever is there."""

from app.ui.widgets.banner import Banner


def press_action(banner: Banner, words: str) -> None:
    """Presses the button; AssertionError where it is not offered or says something else."""
    assert not banner.action.isHidden(), f"no button; the banner says: {banner.message.text()} {banner.hint.text()}"
    assert banner.action.text() == words, f"the button says “{banner.action.text()}” under: {banner.message.text()}"
    banner.action.click()
