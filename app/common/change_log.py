"""The change log, `.github/CHANGELOG.md`: its versions, and what of one is in which language. Packaging reads it too, with Python alone."""

import re

_VERSION_HEADING = re.compile(r"^## \[(\d+(?:\.\d+)*)\].*$", re.MULTILINE)
_LANGUAGE_HEADINGS = {"en": "English", "ja": "日本語"}


def list_versions(text: str) -> list[str]:
    """Return the versions of a change log, the newest first."""
    return _VERSION_HEADING.findall(text)


def cut_version(text: str, version: str) -> str:
    """Return what a change log says of a version, without its heading; empty if the version is missing."""
    headings = list(_VERSION_HEADING.finditer(text))
    for heading, following in zip(headings, [*headings[1:], None], strict=True):
        if heading[1] == version:
            return text[heading.end() : following.start() if following else len(text)].strip()
    return ""


def cut_language(section: str, language: str) -> str:
    """Return the part of a version in one language, its headings one level higher; all of the section if it has no such part."""
    parts = re.split(r"^### (.+)$", section, flags=re.MULTILINE)
    content = dict(zip(parts[1::2], parts[2::2], strict=True)).get(_LANGUAGE_HEADINGS[language])
    return section if content is None else re.sub(r"^####", "###", content.strip(), flags=re.MULTILINE)


def strip_markdown(text: str) -> str:
    """Return the text of a part without the signs of Markdown that a change log has."""
    text = re.sub(r"\[([^\[\]]+)\]\([^()]*\)", r"\1", text)
    text = re.sub(r"^#+ ", "", text, flags=re.MULTILINE)
    return re.sub(r"^- ", "• ", text, flags=re.MULTILINE).replace("**", "").replace("`", "")


def translate_change_log(text: str, language: str) -> str:
    """Return all versions of a change log in one language, as Markdown."""
    sections = (f"## {version}\n\n{cut_language(cut_version(text, version), language)}\n" for version in list_versions(text))
    return "\n".join(sections)
