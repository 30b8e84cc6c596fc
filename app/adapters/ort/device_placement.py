"""The device of each part of a voice: `cuda` for all of it, or `bert=cpu,decoder=directml`; `flow=` takes the flow from the prosody."""

from __future__ import annotations

from dataclasses import dataclass, replace

from app.adapters.ort.backends import BACKENDS, parse_backend
from app.common.errors import BackendError
from app.common.language import localize

GROUP_OF_GRAPH = {"bert": "bert", "prosody": "prosody", "flow": "prosody", "decoder": "decoder", "whole": "decoder"}
GRAPH_GROUPS = ("bert", "prosody", "decoder")
AUTO = "auto"
FLOW = "flow"  # a graph that may leave its group: it goes with the prosody unless it is named


@dataclass(frozen=True, slots=True)
class DevicePlacement:
    """A place (see `ort_devices`) for each group of graphs, or "auto"; an opaque voice goes with the decoder, the flow with the prosody where its own place is empty."""

    bert: str = AUTO
    prosody: str = AUTO
    decoder: str = AUTO
    flow: str = ""

    def find_place(self, graph: str) -> str:
        return self.flow if graph == FLOW and self.flow else str(getattr(self, GROUP_OF_GRAPH[graph]))

    def list_places(self) -> set[str]:
        return {self.find_place(graph) for graph in GROUP_OF_GRAPH}

    def resolve_auto(self, chosen: DevicePlacement) -> DevicePlacement:
        """Return the placement with the parts that were left to us as `chosen` says."""
        places = {group: getattr(chosen, group) for group in GRAPH_GROUPS if getattr(self, group) == AUTO}
        return replace(self, **places, flow=chosen.flow if "prosody" in places and not self.flow else self.flow)

    @property
    def has_auto(self) -> bool:
        """Return whether any place is left to the program."""
        return AUTO in (self.bert, self.prosody, self.decoder)

    def __str__(self) -> str:
        if self == _build_placement(self.decoder):
            return self.decoder
        return ",".join(f"{group}={getattr(self, group)}" for group in (*GRAPH_GROUPS, *([FLOW] if self.flow else [])))


CPU_ONLY = DevicePlacement("cpu", "cpu", "cpu")


def parse_placement(text: str) -> DevicePlacement:
    """Parse the value of `--backend`; groups that are not named are "auto". Raise BackendError with the known places in its hint."""
    if "=" not in text:
        return _build_placement(_normalise_place(text))
    places: dict[str, str] = {}
    for item in text.split(","):
        group, _, place = item.partition("=")
        key = group.strip().lower()
        if key not in (*GRAPH_GROUPS, FLOW) or key in places:
            raise BackendError(
                localize(f"バックエンドの指定「{item}」が正しくありません。", f"“{item}” is not a valid backend setting."),
                localize("例: bert=cpu,prosody=cpu,decoder=directml", "For example: bert=cpu,prosody=cpu,decoder=directml"),
            )
        places[key] = _normalise_place(place)
    if places.get(FLOW) in (AUTO, places.get("prosody", AUTO)):
        del places[FLOW]
    return DevicePlacement(**places)


def _build_placement(place: str) -> DevicePlacement:
    backend = BACKENDS.get(parse_backend(place))
    if backend is not None and backend.leaves_text_to_cpu:
        return replace(CPU_ONLY, decoder=place, flow=place)
    return DevicePlacement(place, place, place)


def _normalise_place(text: str) -> str:
    """Return a place in its usual spelling: `DirectML:Radeon ` → `directml:Radeon`."""
    backend, colon, adapter = text.strip().partition(":")
    key = backend.lower()
    if (key not in BACKENDS and key != AUTO) or (colon and (not adapter or key in (AUTO, "cpu"))):
        # With ONNX Runtime, without which the window reads its settings.
        from app.adapters.ort.devices.ort_devices import list_backends

        raise BackendError(
            localize(f"バックエンド「{text.strip()}」はありません。", f"Unknown backend “{text.strip()}”."),
            localize("使用できるもの: ", "Available: ") + ", ".join([AUTO, *list_backends()]),
        )
    return key + colon + adapter
