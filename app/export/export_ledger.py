"""The ledger of one export: what was written for which lines before, what of it still holds, and what is written now.

Deciding, rendering and recording are separate: a renderer, on any thread, process or machine, hands in finished files.
Files are renamed in an order that frees each name before another file gets it.
"""

import contextlib
import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from app.common.errors import AppError, OutputFileError
from app.common.gil_yield import iterate_yielding_gil
from app.common.language import localize
from app.export.changed_plan import (
    ExportChanges,
    KeyedFile,
    OwnedFiles,
    OwnParts,
    ScriptScope,
    is_same_name,
    list_replaceable,
    plan_changes,
    read_content,
)
from app.export.export_plan import (
    LINE_FILES,
    NumberedLine,
    PlanContext,
    PlannedFile,
    PlannedList,
    describe_kept_list,
    plan_files,
    plan_game_list,
    write_game_list,
)
from app.export.export_settings import ExportSettings
from app.export.loudness import LoudnessMeasurement
from app.export.manifest_store import PARKED_PREFIX, ManifestEntry, ManifestStore, describe_place, is_same_place, is_there
from app.export.render_keys import SoundConditions, compute_file_key, compute_sound_key
from app.export.safe_file_names import OwnFiles, SourceFiles, fold_file_name


@dataclass(frozen=True, slots=True)
class LedgerScript:
    """The script that is exported, as far as its files are concerned."""

    project: str  # name of the project; empty for a script without a name
    ids: frozenset[str]  # of all its lines, exported or not
    file: Path | None = None  # of the script; None where it has none
    cast_file: Path | None = None  # from which its cast was taken; None where it has its own

    def has_written(self, entry: ManifestEntry) -> bool:
        """Return whether a file was exported from this script, or from one of its name."""
        return bool(self.project and entry.project == self.project) or not self.ids.isdisjoint(entry.lines)


def keep_earlier_names(
    context: PlanContext,
    lines: Sequence[NumberedLine],
    settings: ExportSettings,
    script: LedgerScript,
    entries: Iterable[ManifestEntry],
) -> PlanContext:
    """Return the context with the names of an earlier version where the script was exported into the folder under these.

    Nobody asked for others, and files would be renamed, or be there twice.
    """
    if settings.pattern.strip() or settings.game:
        return context
    is_single = settings.files in LINE_FILES
    own = [entry for entry in entries if script.has_written(entry)]
    of_kind = [entry for entry in own if (len(entry.lines) == 1) == is_single]
    keeps = any(entry.has_earlier_name for entry in of_kind)
    if not own and is_single and Path(settings.folder).is_dir():
        # Without its record a folder shows by its names what was exported into it.
        earlier = replace(context, keeps_earlier_names=True)
        keeps = any(item.has_sound for item in plan_files(lines, replace(settings, existing="skip"), earlier))
    return replace(context, keeps_earlier_names=keeps)


def order_renames(targets: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield (from, to), one rename after the other, that bring every file to its target, of which no two are one.

    A name is free before it is given again; of names that go round in a circle, one is put aside first, under a name of its own.
    """
    waiting = dict(targets)
    source_by_name = {fold_file_name(source): source for source in waiting}
    while waiting:
        chain, blocker = _follow_chain(next(iter(waiting)), waiting, source_by_name)
        if blocker is not None:
            parked = create_parked_path(blocker)
            yield blocker, parked
            # The others of the circle move up, and then its way is free.
            chain.remove(blocker)
            del source_by_name[fold_file_name(blocker)]
            waiting[parked] = waiting.pop(blocker)
            source_by_name[fold_file_name(parked)] = parked
        for source in reversed(chain):
            del source_by_name[fold_file_name(source)]
            yield source, waiting.pop(source)


def create_parked_path(path: str) -> str:
    """Return a path that no file has, in the same folder as another."""
    return str(PurePosixPath(path).with_name(f"{PARKED_PREFIX}{os.urandom(4).hex()}{PurePosixPath(path).suffix}"))


def _follow_chain(first: str, targets: Mapping[str, str], source_by_name: Mapping[str, str]) -> tuple[list[str], str | None]:
    """Return a file and those in each other's way behind it, and the one at which the way closes to a circle, if it does."""
    chain = {first: None}
    last = first
    while (blocker := source_by_name.get(fold_file_name(targets[last]))) is not None and blocker != last:
        if blocker in chain:
            return list(chain), blocker
        chain[blocker] = None
        last = blocker
    return list(chain), None


class ExportLedger:
    """Keeps the manifest of an export folder. A manifest that cannot be read or written never ends an export."""

    def __init__(self, settings: ExportSettings, script: LedgerScript, conditions: SoundConditions, *, is_quick: bool = False) -> None:
        self._root = Path(settings.folder)
        self._settings, self._script, self._conditions = settings, script, conditions
        self._store = ManifestStore(self._root)
        self._sources = SourceFiles(filter(None, (script.file, script.cast_file)))
        self._owned_files = OwnedFiles(self._root, self._sources, is_quick=is_quick)
        self._may_replace = False
        self._script_place = describe_place(script.file, self._root)
        # If no script of this name is this one, and just one is gone, that is this one, which was moved.
        places = {entry.place for entry in self._store.entries.values() if entry.place and entry.project == self._script.project}
        other_places = {place for place in places if not is_same_place(place, self._script_place)}
        gone = {place for place in other_places if not is_there(place, self._root)}
        self._other_places = frozenset(other_places - gone if other_places == places and len(gone) == 1 else other_places)
        self._sound_keys: dict[PlannedFile, str] = {}
        self._replaced_entries: dict[Path, ManifestEntry] | None = None
        self._new_files: dict[str, Path] = {}  # by the path of the file that each replaces
        self._parked_files: set[Path] = set()  # new files whose former ones have given their names away
        self.keeps_earlier_names = False  # known once files are planned, see `keep_earlier_names`
        self.problem = self._store.problem  # a sentence on why the manifest that is there cannot be used; empty where it can

    @property
    def write_error(self) -> OutputFileError | None:
        """Return why the manifest could not be written; None where it could."""
        return self._store.error

    def plan_files(self, lines: Sequence[NumberedLine], settings: ExportSettings, context: PlanContext) -> list[PlannedFile]:
        """Plan the files of an export, as `app.export.export_plan` does, with those names free that its own earlier files may give up."""
        context = keep_earlier_names(context, lines, settings, self._script, self._store.entries.values())
        self.keeps_earlier_names = context.keeps_earlier_names
        own_files = OwnFiles(is_remnant=self._find_own_parts().is_own)
        if settings.only_changed:
            scope = self._build_scope(item.line.id for item in lines)
            own_entries = list_replaceable(self._store.entries.values(), scope, self._owned_files.find_state)
            own_files = replace(own_files, replaced=frozenset(self._root / path for entry in own_entries for path, _ in entry.list_parts()))
        return plan_files(lines, settings, context, own_files, self._sources)

    def plan_game_list(self, settings: ExportSettings) -> PlannedList | None:
        """Plan the list of an engine that reads one; that of an earlier export is replaced if it is still as it was written."""
        own_names = (name for name, content in self._store.lists.items() if self._owned_files.has_content(name, content))
        return plan_game_list(settings, OwnFiles(frozenset(self._root / name for name in own_names)), self._sources)

    def write_game_list(
        self, planned: PlannedList, files: Sequence[PlannedFile], written: Collection[Path], settings: ExportSettings
    ) -> str:
        """Write the list of the files that are there now, and note it; return a sentence on why not, else an empty text. Raise OutputFileError.

        Args:
            written: of the plan, what this export made or kept; others count where they were there before.
        """
        listed = [item for item in files if item.has_sound or item.file in written]
        if planned.already_exists and settings.existing != "replace":
            return describe_kept_list(planned)
        if not listed:
            return ""
        write_game_list(planned, listed, settings)
        with contextlib.suppress(OSError):
            self._store.set_list(planned.file.name, read_content(planned.file))
        return ""

    def find_measurements(self, files: Iterable[PlannedFile]) -> dict[PlannedFile, LoudnessMeasurement]:
        """Return the loudness of those files whose sound was measured before, whatever became of the files."""
        loudness_by_key = {entry.sound_key: entry.loudness for entry in self._store.entries.values() if entry.loudness is not None}
        return {
            item: measured
            for item in iterate_yielding_gil(files)
            if (measured := loudness_by_key.get(self._find_sound_key(item))) is not None
        }

    def plan_changes(self, files: Sequence[PlannedFile], settings: ExportSettings, gains_db: Mapping[PlannedFile, float]) -> ExportChanges:
        """Plan what is done with each file, every question about existing files answered; a file without one in `gains_db` stays as it is."""
        keyed = [self._build_keyed_file(item, gains_db.get(item)) for item in iterate_yielding_gil(files)]
        scope = self._build_scope(line.id for item in files for line in item.lines)
        self._may_replace = settings.existing == "replace"
        may_overwrite = settings.existing in ("replace", "number")
        changes = plan_changes(keyed, self._store.entries, scope, self._owned_files.find_state, may_overwrite=may_overwrite)
        self._replaced_entries = dict(changes.replaced)
        self._new_files = {entry.path: file for file, entry in self._replaced_entries.items()}
        return changes

    def apply_changes(
        self, files: Sequence[PlannedFile], settings: ExportSettings, gains_db: Mapping[PlannedFile, float], is_stopped: Callable[[], bool]
    ) -> ExportChanges:
        """Plan the changes and rename what only has another name, until stopped; raise OutputFileError."""
        changes = self.plan_changes(files, settings, gains_db)
        for _ in self.rename_files(changes):
            if is_stopped():
                break
        return changes

    def rename_files(self, changes: ExportChanges) -> Iterator[tuple[KeyedFile, ManifestEntry]]:
        """Rename what is kept under another name, and yield each file that has its own; note what stays. Raise OutputFileError."""
        # Tables without ids give others each time.
        for file, entry in changes.unchanged:
            if (adopted := self._adopt_entry(entry, file)) != entry:
                self._store.set_entry(adopted)
        for entry in changes.vanished:
            self._store.remove_entry(entry.path)
        files = {entry.path: (file, entry) for file, entry in changes.renamed}
        for source, target in order_renames({entry.path: file.path for file, entry in changes.renamed}):
            file, old = files.pop(source)
            entry = self._store.entries[source]
            self._clear_way(target, entry)
            self._owned_files.move_files(entry, target, lambda file: self._may_replace or self._find_own_parts().is_own(file))
            self._store.move_entry(source, self._adopt_entry(replace(entry, path=target), file))
            if target == file.path:
                yield file, old
            else:
                files[target] = (file, old)

    def record_written(
        self, item: PlannedFile, sidecars: Collection[Path], gain_db: float | None = None, loudness: LoudnessMeasurement | None = None
    ) -> None:
        """Note a file that is complete, with its sidecars; remove what it replaces, if that is still ours. Reads the files once."""
        keyed = self._build_keyed_file(item, gain_db)
        try:
            contents = {path.suffix: read_content(path) for path in sidecars}
            keys = keyed.lines, self._script.project, keyed.sound_key, keyed.file_key
            content, place = read_content(item.file), self._script_place
            entry = ManifestEntry(keyed.path, content, contents, *keys, loudness, place, has_earlier_name=self.keeps_earlier_names)
        except OSError:
            # It is gone already, or cannot be read: a file without an entry counts as existing, which is the truth.
            self._store.remove_entry(keyed.path)
            return
        former_entry = self._store.entries.get(keyed.path)
        self._store.set_entry(entry)
        if self._replaced_entries is None:
            return
        if former_entry is not None:
            self._remove_quietly(former_entry, {path for path, _ in entry.list_parts()})
        replaced = self._replaced_entries.get(item.file)
        # At its own path the new entry has taken its place already, and so has that of another file elsewhere.
        if replaced is not None and replaced.path != entry.path and self._store.entries.get(replaced.path) == replaced:
            self._drop_replaced(replaced, entry)

    def remove_orphans(self, orphans: Iterable[ManifestEntry]) -> list[ManifestEntry]:
        """Remove files whose lines are gone, if they are still ours, and return their entries. Raise OutputFileError."""
        removed = []
        for entry in orphans:
            if self._store.entries.get(entry.path) == entry and OwnedFiles(self._root, self._sources).find_state(entry) != "edited":
                self._owned_files.remove_files(entry)
                self._store.remove_entry(entry.path)
                removed.append(entry)
        return removed

    def close(self) -> OutputFileError | None:
        """Write the manifest as one file; return why that failed, or None."""
        self._restore_parked_files()
        self._store.close()
        return self._store.error

    def _find_own_parts(self) -> OwnParts:
        return OwnParts(self._root, self._store.entries.values, self._sources)

    def _build_scope(self, planned_ids: Iterable[str]) -> ScriptScope:
        return ScriptScope(self._script.project, self._script.ids, frozenset(planned_ids), self._other_places)

    def _adopt_entry(self, entry: ManifestEntry, file: KeyedFile) -> ManifestEntry:
        """Return the entry of a file that is kept, with the lines and the script of today."""
        return replace(entry, lines=file.lines, project=self._script.project, place=self._script_place)

    def _build_keyed_file(self, item: PlannedFile, gain_db: float | None) -> KeyedFile:
        sound = self._find_sound_key(item)
        return KeyedFile(item, item.file.relative_to(self._root).as_posix(), sound, compute_file_key(item, sound, self._settings, gain_db))

    def _find_sound_key(self, item: PlannedFile) -> str:
        if item not in self._sound_keys:
            self._sound_keys[item] = compute_sound_key(item, self._conditions)
        return self._sound_keys[item]

    def _clear_way(self, target: str, coming: ManifestEntry) -> None:
        """Remove our older file and its sidecars at a name that another file gets; keep one that is to be made again until then."""
        former_entry = self._store.entries.get(target)
        if former_entry is None or former_entry == coming:
            return
        new_file = self._new_files.get(target)
        if self._replaced_entries is not None and new_file is not None and self._owned_files.find_state(former_entry) == "whole":
            self._replaced_entries[new_file] = self._move_file(former_entry, create_parked_path(target))
            self._parked_files.add(new_file)
            return
        self._remove_quietly(former_entry, ())
        self._store.remove_entry(target)

    def _restore_parked_files(self) -> None:
        """Give files that were to be made again, and were not, the names that the new ones would have had; a taken name stays as it is."""
        for new_file in self._parked_files:
            assert self._replaced_entries is not None
            entry = self._replaced_entries[new_file]
            path = str(PurePosixPath(new_file.relative_to(self._root).as_posix()).with_suffix(entry.suffix))
            names = [PurePosixPath(path).with_suffix(PurePosixPath(part_path).suffix) for part_path, _ in entry.list_parts()]
            if self._store.entries.get(entry.path) == entry and not any(os.path.lexists(self._root / name) for name in names):
                with contextlib.suppress(AppError):
                    self._move_file(entry, path)
        self._parked_files.clear()

    def _move_file(self, entry: ManifestEntry, path: str) -> ManifestEntry:
        """Rename a file and its sidecars, and return its new entry. Raise OutputFileError."""
        self._owned_files.move_files(entry, path, lambda _file: False)
        moved = replace(entry, path=path)
        self._store.move_entry(entry.path, moved)
        return moved

    def _drop_replaced(self, replaced: ManifestEntry, new: ManifestEntry) -> None:
        """Remove what a file of another name replaces; one that was edited stays, and is no longer ours."""
        is_same = is_same_name(self._root / replaced.path, self._root / new.path)
        if not is_same and OwnedFiles(self._root, self._sources).find_state(replaced) != "edited":
            self._remove_quietly(replaced, ())
        self._store.remove_entry(replaced.path)

    def _remove_quietly(self, entry: ManifestEntry, spared_paths: Collection[str]) -> None:
        """Remove files that another replaces; one that cannot be removed stays, and no file is lost."""
        with contextlib.suppress(AppError):
            self._owned_files.remove_files(entry, spared_paths)


def describe_changes(written: int, renamed: int, unchanged: int, orphans: int) -> str:
    """Return what an export of what changed did, in a sentence or two; what did not happen is left out."""
    done = [f"{written:,} 個を書き出し"] if written else []
    done += [f"{renamed:,} 個の名前を変更し"] if renamed else []
    japanese = f"{'、'.join(done)}ました。" if done else ""
    counts = ((written, "written"), (renamed, "renamed"), (unchanged, "unchanged"))
    sentence = localize(
        (japanese + (f"{unchanged:,} 個は変更されていません。" if unchanged else "")) or "何も書き出しませんでした。",
        ", ".join(f"{count:,} {word}" for count, word in counts if count) + "."
        if any((written, renamed, unchanged))
        else "Nothing was written.",
    )
    if not orphans:
        return sentence
    english = f" {orphans:,} {'file belongs' if orphans == 1 else 'files belong'} to lines that are no longer in the script."
    return sentence + localize(f"台本にない行のファイルが {orphans:,} 個あります。", english)


def describe_write_error(error: OutputFileError) -> str:
    """Return one sentence for an export that went well but for its manifest."""
    return localize(
        f"書き出しの記録を保存できませんでした。次回の「変更した行だけ」では、すべて既存のファイルとして扱います。（{error.message}）",
        f"The record of this export could not be saved, so that the next export of what changed cannot tell its files. ({error.message})",
    )
