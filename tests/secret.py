"""A text that nobody else writes, and where in a data folder it is found."""

import json
from pathlib import Path

SECRET = "ひつじの秘密です"
WORD, READING = "秘蔵鳥", "ヒゾウドリ"
FORMS = tuple(
    form
    for text in (SECRET, WORD, READING, SECRET[:5])
    for form in (text.encode(), text.encode("utf-16-le"), text.encode("cp932"), json.dumps(text)[1:-1].encode(), ascii(text)[1:-1].encode())
)
ITS_PLACES = ("autosave.json", "undo.json", "sounds.json", "dictionary.json", "cache/dictionary/")
"""What the user wrote lies here, so that it is there again, with its waveforms; MeCab's form of the dictionary holds its words too."""


def betrayed(home: Path) -> list[str]:
    """Files of a home that hold something of the text or of the word, but for those that have to."""
    files = {item.relative_to(home).as_posix(): item.read_bytes() for item in home.rglob("*") if item.is_file()}
    assert files
    return [name for name, content in files.items() if not name.startswith(ITS_PLACES) and any(form in content for form in FORMS)]
