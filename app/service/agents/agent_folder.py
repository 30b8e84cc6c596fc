"""The folder of an agent: files go into it under names, never paths; nothing is overwritten and no link followed."""

import os
from pathlib import Path

from app.adapters.files.part_file import PartFile
from app.common.errors import InputError, OutputFileError
from app.common.language import localize
from app.common.system_errors import describe_reason
from app.export.safe_file_names import find_free_stem, sanitise_stem

_MAX_TRIES = 100
MAX_LISTED_FILES = 20


class AgentFolder:
    """Made when the first file is written."""

    def __init__(self, path: Path) -> None:
        self.path = path.expanduser().absolute()  # absolute, without links

    def choose_path(self, name: str, suffix: str) -> Path:
        """Return a path in the folder, which exists then, that is free now; raise InputError for a name that is a path, OutputFileError."""
        stem = check_file_name(name, suffix)
        self._make_folder()
        return self._find_free_path(stem, suffix)

    def name_file(self, name: str, suffix: str) -> Path:
        """Return the path that a name means in the folder, which exists then; raise InputError for a name that is a path, OutputFileError."""
        stem = check_file_name(name, suffix)
        self._make_folder()
        return self.path / f"{stem}{suffix}"

    def find_file(self, name: str, suffix: str) -> Path:
        """Return the path of a file that is in the folder itself; raise InputError if there is none, or it is a link."""
        path = self.path / f"{check_file_name(name, suffix)}{suffix}"
        if path.is_symlink() or not path.is_file():
            there = sorted(item.name for item in self.path.glob(f"*{suffix}") if item.is_file() and not item.is_symlink())
            listed = ", ".join(there[:MAX_LISTED_FILES]) + (", …" if len(there) > MAX_LISTED_FILES else "")
            raise InputError(
                localize(f"「{path.name}」はありません。", f"There is no “{path.name}”."),
                localize(f"使用できるもの: {listed}", f"Available: {listed}") if there else "",
            )
        return path

    def choose_subfolder(self, name: str) -> Path:
        """Return the path of a folder in the folder, which exists or can be made; raise InputError for a link or a file, OutputFileError."""
        self._make_folder()
        path = self.path / name
        if path.is_symlink() or (path.exists() and not path.is_dir()):
            raise InputError(localize(f"「{name}」はフォルダーではありません。", f"“{name}” is no folder."))
        return path

    def place_part(self, part: PartFile, name: str, suffix: str) -> Path:
        """Give a whole file a free name and return its path; remove the part and raise OutputFileError if that fails."""
        try:
            part.finish_writing()
            stem = check_file_name(name, suffix)
            for _ in range(_MAX_TRIES):
                path = self._find_free_path(stem, suffix)
                if part.take_free_name(path):
                    return path
            raise OutputFileError(localize("空いているファイル名がありません。", "No file name is free."))
        except BaseException:
            part.discard()
            raise

    def _make_folder(self) -> None:
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            self.path = self.path.resolve(strict=True)
        except OSError as exc:
            reason = describe_reason(exc)
            raise OutputFileError(
                localize(f"フォルダーに書き込めません：{reason}。", f"The folder cannot be written: {reason}."),
                localize("--folder で別のフォルダーを指定してください。", "Choose another one with --folder."),
            ) from exc

    def _find_free_path(self, stem: str, suffix: str) -> Path:
        free = find_free_stem(stem, "koebako", (), lambda one: os.path.lexists(self.path / f"{one}{suffix}"))
        return self.path / f"{free}{suffix}"


def check_file_name(name: str, suffix: str) -> str:
    """Return the stem of a name that an agent gave; raise InputError if it is a path or of another format."""
    if any(mark in name for mark in ("/", "\\", ":", "\0")) or name.strip(" .") == "":
        raise InputError(
            localize("ファイル名を指定してください。パスは使用できません。", "Give a file name; paths are not allowed."),
            localize("例: hello.wav", "For example: hello.wav"),
        )
    stem = name[: -len(suffix)] if name.lower().endswith(suffix) else name
    return sanitise_stem(stem)
