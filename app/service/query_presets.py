"""Presets: numbers of queries under a number of their own, kept in a file of the service's own: `presets.json` holds those of the window. Clients change them only where the user allows it."""

from dataclasses import dataclass, replace
from itertools import chain, count
from pathlib import Path
from typing import Any

from app.adapters.files.file_lock import lock_path_for_change
from app.common.files.paths import find_data_dir
from app.common.files.whole_files import CorruptFileError, load_data, save_data
from app.common.language import localize
from app.common.user_notices import show_notice
from app.service.request_fields import RefusalError, RequestFields, create_refusal
from app.service.voicevox_query import QUERY_PAUSES, QUERY_SCALES, AudioQuery, read_scales

MAX_QUERY_PRESETS = 1000
_MAX_PRESET_ID = (1 << 31) - 1


@dataclass(frozen=True, slots=True)
class QueryPreset:
    """A preset; `scales` are a query without phrases."""

    id: int
    name: str
    speaker_uuid: str
    style_id: int
    scales: AudioQuery

    def convert_to_json(self) -> dict[str, Any]:
        whose = {"id": self.id, "name": self.name, "speaker_uuid": self.speaker_uuid, "style_id": self.style_id}
        return whose | self.scales.scale_values

    def apply_to_query(self, query: AudioQuery) -> AudioQuery:
        """Return a query with the preset's numbers."""
        return replace(query, **{field: getattr(self.scales, field) for field in (QUERY_SCALES | QUERY_PAUSES).values()})


def parse_preset(values: Any, where: tuple[str | int, ...] = ("body",)) -> QueryPreset:
    """Return the preset of a body; raise RefusalError if there is none."""
    fields = RequestFields(values, where)
    preset = QueryPreset(
        fields.read_integer("id", high=_MAX_PRESET_ID),
        fields.parse_text("name", max_length=200),
        fields.parse_text("speaker_uuid", max_length=100),
        fields.read_integer("style_id"),
        read_scales(fields),
    )
    fields.check()
    return preset


class QueryPresetStore:
    """The presets of the user. Every change reads the file again and writes it, one thread and one program at a time: none undoes another's."""

    def __init__(self, path: Path | None = None) -> None:
        self._path = path or find_data_dir() / "service_presets.json"

    def list_presets(self) -> list[QueryPreset]:
        """Return the presets in order; none, with a notice, if the file cannot be read."""
        return self._load_presets()[0]

    def require_preset(self, number: int) -> QueryPreset:
        """Return the preset of a number; raise RefusalError if there is none."""
        preset = next((preset for preset in self.list_presets() if preset.id == number), None)
        if preset is None:
            raise create_refusal(422, "該当するプリセットIDが見つかりません", f"There is no preset {number}.")
        return preset

    def add_preset(self, preset: QueryPreset) -> int:
        """Add a preset and return its number, which is another one if the wanted number is taken."""
        with lock_path_for_change(self._path):
            presets = self._load_for_change()
            if len(presets) >= MAX_QUERY_PRESETS:
                raise create_refusal(
                    422, f"プリセットは {MAX_QUERY_PRESETS} 個までです。", f"There may be up to {MAX_QUERY_PRESETS} presets."
                )
            ids = {other.id for other in presets}
            if preset.id < 0 or preset.id in ids:
                # The number after the highest, or the lowest free one if the highest is the last possible.
                following = range(max(ids, default=0) + 1, _MAX_PRESET_ID + 1)
                preset = replace(preset, id=next(number for number in chain(following, count(1)) if number not in ids))
            self._save_presets([*presets, preset])
            return preset.id

    def update_preset(self, preset: QueryPreset) -> int:
        """Replace the preset of this number and return the number; raise RefusalError if there is none."""
        with lock_path_for_change(self._path):
            presets = self._load_for_change()
            if preset.id not in {other.id for other in presets}:
                raise create_refusal(422, "更新先のプリセットが存在しません", "The preset to update does not exist.")
            self._save_presets([preset if other.id == preset.id else other for other in presets])
            return preset.id

    def delete_preset(self, number: int) -> None:
        """Remove a preset; raise RefusalError if there is none."""
        with lock_path_for_change(self._path):
            presets = self._load_for_change()
            others = [preset for preset in presets if preset.id != number]
            if len(others) == len(presets):
                raise create_refusal(422, "削除対象のプリセットが存在しません", "The preset to delete does not exist.")
            self._save_presets(others)

    def _load_presets(self) -> tuple[list[QueryPreset], CorruptFileError | None]:
        presets, error = load_data(self._path, _parse_presets, localize("プリセットを読み込めません。", "The presets cannot be read."))
        show_notice(error)
        return presets or [], error

    def _load_for_change(self) -> list[QueryPreset]:
        """Load the presets for a change; raise CorruptFileError if writing would lose them."""
        presets, error = self._load_presets()
        if error is not None and error.backup is None:
            raise error
        return presets

    def _save_presets(self, presets: list[QueryPreset]) -> None:
        data = {"presets": [preset.convert_to_json() for preset in presets]}
        save_data(self._path, data, localize("プリセットを保存できません", "The presets could not be saved"))


def _parse_presets(data: Any) -> list[QueryPreset]:
    try:
        return [parse_preset(item) for item in data["presets"][:MAX_QUERY_PRESETS]]
    except RefusalError as exc:
        raise ValueError("no presets") from exc
