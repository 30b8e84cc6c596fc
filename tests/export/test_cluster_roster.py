"""What is said of the workers of a cluster before anything starts; nothing of Dask is needed for that."""

from typing import Any

import pytest

from app.adapters.ort.graph_session import ORT_VERSION
from app.common.errors import InputError
from app.common.version import VERSION
from app.export.cluster_task import WantedVoice
from app.export.cluster_worker import ClusterRoster
from app.export.export_tasks import VoiceOpening

OPENING = VoiceOpening("cpu", "exact", "float32")
WANTED = {voice: WantedVoice(f"digest {voice}", f"{voice} exact", OPENING) for voice in ("mei", "rei")}


class AnsweringClient:
    """A cluster whose workers answer at once, each with what it has been given."""

    is_lost = False

    def __init__(self, answers: dict[str, dict[str, Any]]) -> None:
        self.answers = answers

    def list_workers(self) -> list[str]:
        return list(self.answers)

    def can_import(self, _module: str, _address: str, _until: float) -> bool:
        return True

    def call_function(self, _function: object, _arguments: object, list_workers: Any, **_how: object) -> dict[str, Any]:
        (address,) = list_workers()
        return self.answers[address]


def answer(host: str, *, version: str = VERSION, runtime: str = ORT_VERSION, **fingerprints: str) -> dict[str, Any]:
    voices = {voice: {"reference": voice, "fingerprint": fingerprints[voice]} if voice in fingerprints else None for voice in WANTED}
    return {"version": version, "host": host, "runtime": runtime, "voices": voices}


def list_notices(*answers: dict[str, Any]) -> list[str]:
    """What is said of these workers, each of which is a process of its own."""
    said: list[str] = []
    client = AnsweringClient({f"tcp://10.0.0.{number}:1": one for number, one in enumerate(answers)})
    roster = ClusterRoster(client, WANTED, {"mei": "Mei", "rei": "Rei"}, said.append)  # type: ignore[arg-type]
    assert roster.ask_first_workers() == {}
    return said


def test_a_worker_like_this_machine_is_no_news() -> None:
    assert list_notices(answer("a", mei="mei exact", rei="rei exact")) == []


def test_another_onnx_runtime_is_said_once_of_each_machine_and_explains_every_other_sound() -> None:
    other = answer("a", runtime="0.1", mei="mei other", rei="rei other")
    assert list_notices(other, other, answer("b", mei="mei exact", rei="rei exact")) == [
        f"a has ONNX Runtime 0.1, this computer {ORT_VERSION}: its samples may differ slightly."
    ]


def test_voices_in_another_precision_are_named_with_their_machine() -> None:
    assert list_notices(answer("a", mei="mei exact", rei="rei fast"), answer("b", mei="mei fast")) == [
        "In another precision on a, so that samples may differ slightly: Rei",
        "Not on b: Rei",
        "In another precision on b, so that samples may differ slightly: Mei",
    ]


def test_another_koebako_ends_it_before_anything_starts() -> None:
    with pytest.raises(InputError):
        list_notices(answer("a", version="0.0.1", mei="mei exact", rei="rei exact"))


def test_a_task_goes_to_workers_that_have_all_of_its_voices() -> None:
    client = AnsweringClient(
        {"tcp://10.0.0.1:1": answer("a", mei="mei exact", rei="rei exact"), "tcp://10.0.0.2:1": answer("b", mei="mei exact")}
    )
    roster = ClusterRoster(client, WANTED, {"mei": "Mei", "rei": "Rei"}, [].append)  # type: ignore[arg-type]
    roster.ask_first_workers()
    assert roster.find_workers(["mei"]) == ["tcp://10.0.0.1:1", "tcp://10.0.0.2:1"]
    assert roster.find_workers(["mei", "rei"]) == ["tcp://10.0.0.1:1"]
