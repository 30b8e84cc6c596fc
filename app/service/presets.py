"""Presets: numbers of queries under a number of their own, kept in a file of the service's own: `presets.json` holds those of the window. Clients change them only where the user allows it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from app.adapters.files.lock import sole_use
from app.data_file import load_data, save_data
from app.language import localized
from app.notices import notify
from app.paths import data_dir
from app.service.fields import Fields
from app.service.query import PAUSES, SCALES, AudioQuery
from app.service.query_fields import scales_of
from app.service.refused import Refused, refused
from app.unreadable import UnreadableError

MOST = 1000
_ID_HIGH = (1 << 31) - 1


@dataclass(frozen=True, slots=True)
class Preset:
    """A preset; `scales` are a query without phrases."""

    id: int
    name: str
    speaker_uuid: str
    style_id: int
    scales: AudioQuery

    def values(self) -> dict[str, Any]:
        """As JSON."""
        own = {"id": self.id, "name": self.name, "speaker_uuid": self.speaker_uuid, "style_id": self.style_id}
        return own | self.scales.scale_values

    def applied(self, query: AudioQuery) -> AudioQuery:
        """A query with the preset's numbers."""
        return replace(query, **{field: getattr(self.scales, field) for field in (SCALES | PAUSES).values()})


def read_preset(values: Any, where: tuple[str | int, ...] = ("body",)) -> Preset:
    """The preset of a body; Refused where it is none."""
    fields = Fields(values, where)
    preset = Preset(
        fields.integer("id", high=_ID_HIGH),
        fields.text("name", longest=200),
        fields.text("speaker_uuid", longest=100),
        fields.integer("style_id"),
        scales_of(fields),
    )
    fields.check()
    return preset


class Presets:
    """The presets of the user. Every change reads the file again and writes it, one thread and one program at a time: none undoes another's."""

    def __init__(self, path: Path | None = None) -> None:
        self._path = path or data_dir() / "service_presets.json"

    def all(self) -> list[Preset]:
        """In order; none, and a notice, where the file cannot be read."""
        return self._loaded()[0]

    def find(self, number: int) -> Preset:
        """The preset of a number; Refused where there is none."""
        for preset in self.all():
            if preset.id == number:
                return preset
        raise refused(422, "該当するプリセットIDが見つかりません", f"There is no preset {number}.")

    def add(self, preset: Preset) -> int:
        """Adds a preset; its number, which is another one where that is taken."""
        with sole_use(self._path):
            presets = self._to_change()
            if len(presets) >= MOST:
                raise refused(422, f"プリセットは {MOST} 個までです。", f"There may be up to {MOST} presets.")
            taken = {known.id for known in presets}
            if preset.id < 0 or preset.id in taken:
                preset = replace(preset, id=_free(taken))
            self._save([*presets, preset])
            return preset.id

    def update(self, preset: Preset) -> int:
        """Replaces the preset of this number. Raises Refused where there is none."""
        with sole_use(self._path):
            presets = self._to_change()
            if preset.id not in {known.id for known in presets}:
                raise refused(422, "更新先のプリセットが存在しません", "The preset to update does not exist.")
            self._save([preset if known.id == preset.id else known for known in presets])
            return preset.id

    def delete(self, number: int) -> None:
        """Removes a preset. Raises Refused where there is none."""
        with sole_use(self._path):
            presets = self._to_change()
            kept = [known for known in presets if known.id != number]
            if len(kept) == len(presets):
                raise refused(422, "削除対象のプリセットが存在しません", "The preset to delete does not exist.")
            self._save(kept)

    def _loaded(self) -> tuple[list[Preset], UnreadableError | None]:
        found, error = load_data(self._path, _from_data, localized("プリセットを読み込めません。", "The presets cannot be read."))
        notify(error)
        return found or [], error

    def _to_change(self) -> list[Preset]:
        """Raises UnreadableError where to write would be to lose them."""
        presets, error = self._loaded()
        if error is not None and error.kept is None:
            raise error
        return presets

    def _save(self, presets: list[Preset]) -> None:
        data = {"presets": [preset.values() for preset in presets]}
        save_data(self._path, data, localized("プリセットを保存できません", "The presets could not be saved"))


def _free(taken: set[int]) -> int:
    """The number after the highest; where that is the last there can be, the lowest that is free."""
    following = max(taken, default=0) + 1
    return following if following <= _ID_HIGH else next(number for number in range(1, MOST + 2) if number not in taken)


def _from_data(data: Any) -> list[Preset]:
    try:
        return [read_preset(item) for item in data["presets"][:MOST]]
    except Refused as exc:
        raise ValueError("no presets") from exc
