"""The text front end."""

from app.adapters.openjtalk.mecab_words import forget_user_lexicon
from app.adapters.openjtalk.openjtalk_g2p import OpenJTalkG2P
from app.core.sound.render_caches import RenderCaches


def open_g2p() -> OpenJTalkG2P:
    """Open the text front end."""
    return OpenJTalkG2P()


def forget_readings(caches: RenderCaches | None) -> None:
    """Forget cached readings after the user's dictionary has changed."""
    forget_user_lexicon()
    if caches is not None:
        caches.phones.clear()
