"""Voices on a device: in a few fixed sizes that open behind the speech, right or not at all."""

import gc
import subprocess
import sys
import threading
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from subprocess import PIPE

import numpy as np
import pytest

from app.adapters.ort import optimized_graphs
from app.adapters.ort.backends import BACKENDS
from app.adapters.ort.device_placement import CPU_ONLY
from app.adapters.ort.devices import device_thread, ort_devices
from app.adapters.ort.devices.ort_devices import BackendDevice
from app.adapters.ort.fixed_shapes import fixed_shape_graph, fixed_shape_session
from app.adapters.ort.fixed_shapes.fixed_shape_graph import (
    FixedShapeGraph,
    NoFixedShapeGraphError,
    create_fixed_shape_store,
    find_or_make_fixed_shape_graph,
)
from app.adapters.ort.optimized_graphs import GraphStore
from app.common.errors import BackendError
from app.common.files import paths
from app.compose import device_opening, disk_stores, fixed_shape_opening, speaker_plan
from app.compose.speaker import Speaker
from app.compose.speaker_opening import open_speaker
from app.compose.speaker_plan import guess_placement
from app.core.sound.result_metrics import compute_snr_db
from app.core.synthesis_types import SynthesisRequest
from app.install.voice_preparation import prepare_voice
from app.voices.bert_models import find_bert
from app.voices.installed_voices import find_voice
from app.voices.prepared_voice import read_prepared_voice
from tests.faulty_device import FAULTS
from tests.pretend_device import KEY, PretendDevice, install

SHORT, MIDDLE = "はい。", "今日はとてもいい天気なので、歩きます。"
LONG = "駅前の公園まで歩いて、写真をたくさん撮りました。"
DECODER = f"bert=cpu,prosody=cpu,decoder={KEY}"
LIMIT_S = 120
LEAST_DB = 40.0


@pytest.fixture(scope="module")
def voice(tiny_models: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    """A prepared voice of the public architecture."""
    source = tiny_models / "jp-extra-tiny-2spk" / "model.safetensors"
    folder = tmp_path_factory.mktemp("voice")
    prepare_voice(source, folder, int8=False)
    return str(folder)


@pytest.fixture(autouse=True, scope="module")
def _collected_once() -> Iterator[None]:
    """What other modules left need not be looked through by each test that collects what it left itself."""
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()


@pytest.fixture(scope="module")
def forms(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("forms")


def find_form_of_few_sizes(store: GraphStore, graph: str, model: Path, **options: bool) -> FixedShapeGraph:
    """The large sizes take most of the time; the decoder has none."""
    form = find_or_make_fixed_shape_graph(store, graph, model, **options)
    return form if graph == "decoder" else replace(form, sizes=form.sizes[:2])


@pytest.fixture
def device(monkeypatch: pytest.MonkeyPatch, forms: Path, at_length: bool) -> PretendDevice:
    """Forms are made once for all tests."""
    store = create_fixed_shape_store(forms)
    if not at_length:
        monkeypatch.setattr(fixed_shape_opening, "find_or_make_fixed_shape_graph", find_form_of_few_sizes)
    monkeypatch.setattr(fixed_shape_opening, "_open_fixed_shape_store", lambda _folder: store)
    monkeypatch.setattr(device_thread, "_thread", None)
    gc.collect()  # voices of other tests give back what they held
    monkeypatch.setattr(fixed_shape_session, "reserved_bytes", defaultdict(int))
    return install(monkeypatch)


def opened(voice: str, place: str, *, wait: bool = True) -> Speaker:
    speaker = open_speaker(voice, place, force_bert=True)
    if wait:
        speaker.wait_for_devices(LIMIT_S)
    return speaker


def spoken(speaker: Speaker, text: str) -> np.ndarray:
    speaker.pipeline.caches.clear()
    chunks = speaker.pipeline.synthesize(SynthesisRequest(text, seed=3))
    return np.concatenate([chunk.samples for chunk in chunks if not chunk.silence])


def test_the_decoder_alone_sounds_as_on_the_cpu(voice: str, device: PretendDevice) -> None:
    cpu, there = opened(voice, "cpu"), opened(voice, DECODER)
    assert there.fallback is None
    assert there.backends == {"bert": "cpu", "prosody": "cpu", "flow": "cpu", "decode": KEY}
    proved = len(device.runs)
    for text in (SHORT, MIDDLE, LONG):
        right, found = spoken(cpu, text), spoken(there, text)
        assert found.shape == right.shape
        assert compute_snr_db([right], [found]) >= LEAST_DB
    assert len(device.runs) > proved + 8
    assert sorted(size for _, size in device.opened) == [42, 66, 130, 154]  # and none is opened for a text


@pytest.mark.parametrize("takes_forms", [False, True])
def test_graphs_in_fixed_sizes_are_behind_one_door(
    takes_forms: bool, voice: str, device: PretendDevice, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(BACKENDS, KEY, replace(BACKENDS[KEY], takes_any_size=True, takes_forms=takes_forms))
    monkeypatch.setitem(sys.modules, fixed_shape_opening.__name__, None)  # an import fails
    with pytest.raises(ImportError) if takes_forms else nullcontext():
        assert opened(voice, DECODER).sessions["decoder"].backend == KEY
    assert not device.opened


def test_all_graphs_on_the_device(voice: str, device: PretendDevice) -> None:
    cpu, there = opened(voice, "cpu"), opened(voice, f"bert=cpu,prosody={KEY},decoder={KEY}")
    assert there.backends == {"bert": "cpu", "prosody": KEY, "flow": KEY, "decode": KEY}
    right, found = spoken(cpu, MIDDLE), spoken(there, MIDDLE)
    assert abs(len(right) - len(found)) <= 2 * 512  # a duration near a whole frame may go either way in half precision
    sizes = len(device.opened)
    for text in (SHORT, "そうですね。", LONG):
        spoken(there, text)
    assert len(device.opened) == sizes


def test_no_sentence_waits_for_an_opening(voice: str, device: PretendDevice) -> None:
    begun, go_on = threading.Event(), threading.Event()

    def stand(size: int) -> None:
        if size == 66:  # one size is open by now
            begun.set()
            assert go_on.wait(30)

    device.before_opening = stand
    speaker = opened(voice, DECODER, wait=False)
    assert begun.wait(LIMIT_S)
    runs = len(device.runs)
    assert spoken(speaker, SHORT).size
    assert spoken(speaker, MIDDLE).size
    assert len(device.runs) == runs  # all of it on the CPU
    assert speaker.fallback is None
    decoder = speaker.sessions["decoder"]
    assert (decoder.ran_on, decoder.waited) == ("cpu", True)
    go_on.set()
    speaker.wait_for_devices(LIMIT_S)
    spoken(speaker, MIDDLE)
    assert len(device.runs) > runs
    assert (decoder.ran_on, decoder.waited, decoder.new_size) == (KEY, False, False)


@pytest.mark.parametrize("noise", [0.1, np.nan])
def test_a_device_that_computes_noise_is_refused_and_that_is_said(voice: str, device: PretendDevice, noise: float) -> None:
    device.spoil = lambda _name, results: [item + np.float32(noise) for item in results]
    speaker = opened(voice, DECODER)
    assert speaker.fallback is not None
    assert "differ" in speaker.fallback
    assert "Pretend" in speaker.fallback
    assert set(speaker.backends.values()) == {"cpu"}
    runs = len(device.runs)
    assert np.array_equal(spoken(speaker, MIDDLE), spoken(speaker, MIDDLE))
    assert len(device.runs) == runs


def test_a_device_that_is_removed_is_not_heard(voice: str, device: PretendDevice) -> None:
    speaker = opened(voice, DECODER)
    right, runs = spoken(speaker, LONG), len(device.runs)

    def fail(_name: str, results: list[np.ndarray]) -> list[np.ndarray]:
        if len(device.runs) == runs + 3:
            raise FAULTS["removed"][0]()
        return results

    device.spoil = fail
    found = spoken(speaker, LONG)
    assert compute_snr_db([right], [found]) >= LEAST_DB
    assert "887A0005" in str(speaker.fallback)
    assert len(device.runs) == runs + 3


def test_as_many_sizes_as_there_is_memory_for(voice: str, device: PretendDevice, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fixed_shape_opening, "find_memory_limit", lambda _place: 2 * fixed_shape_session.estimate_session_bytes(4 << 20))
    speaker = opened(voice, DECODER)
    assert [size for _, size in device.opened] == [42, 66]
    assert spoken(speaker, LONG).size  # wide windows are the CPU's
    assert speaker.fallback is None
    held = fixed_shape_session.reserved_bytes[KEY]
    assert held > 0
    del speaker
    gc.collect()
    assert fixed_shape_session.reserved_bytes[KEY] < held


ADAPTER_MB = {"W": 56, "F": 50, "T": 40, "n": 650}
"""Weights of a real voice and BERT in half precision, by the name of the free size."""


@pytest.fixture
def real_sizes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Memory is counted for a voice and a BERT of real size, all four graphs of which have forms."""
    monkeypatch.setattr(FixedShapeGraph, "weight_bytes", property(lambda form: ADAPTER_MB[form.free] << 20))
    monkeypatch.setattr(device_opening, "is_slow_bert", lambda _bert: True)


def adapter(memory_mb: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fixed_shape_session, "find_effective_device", lambda place: BackendDevice(place, 0, "Adapter", memory_mb, 0))


def test_the_decoder_is_opened_first_and_graphs_take_turns(
    voice: str, device: PretendDevice, real_sizes: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    adapter(24 << 10, monkeypatch)
    speaker = opened(voice, KEY)
    assert speaker.fallback is None
    graphs = [name.rpartition(": ")[2] for name, _ in device.opened]
    assert graphs[:4] == ["decoder", "flow", "prosody", "BERT"]
    assert graphs[4:8] == ["decoder", "flow", "prosody", "BERT"]
    assert graphs.count("decoder") == 4


@pytest.mark.parametrize("memory_gb", [1, 2, 4, 6])
def test_a_small_adapter_gets_the_decoder_and_not_the_bert(
    memory_gb: int, voice: str, device: PretendDevice, real_sizes: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(ADAPTER_MB, "n", 1_300)  # in single precision
    adapter(memory_gb << 10, monkeypatch)
    speaker = opened(voice, KEY)
    assert {"decode": KEY, "bert": "cpu"}.items() <= speaker.backends.items()
    assert not speaker.has_failed
    assert "BERT runs on the CPU, not on Pretend: the device does not have enough memory." in str(speaker.fallback).splitlines()
    assert "failed" not in str(speaker.fallback)
    assert fixed_shape_session.reserved_bytes[KEY] <= fixed_shape_session.find_memory_limit(KEY)


def test_a_driver_without_room_is_no_failure_and_nothing_stays_counted(
    voice: str, device: PretendDevice, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_size: int) -> None:
        raise BackendError("Pretend could not start.", "8007000E Not enough memory resources")

    device.before_opening = refuse
    speaker = opened(voice, DECODER)
    assert "Decode runs on the CPU, not on Pretend: it ran out of memory." in str(speaker.fallback)
    assert not speaker.has_failed
    assert fixed_shape_session.reserved_bytes[KEY] == 0


def test_a_driver_that_crashes_while_a_size_opens_is_lost_and_remembered(
    voice: str, device: PretendDevice, monkeypatch: pytest.MonkeyPatch
) -> None:
    crashes = 0

    def crash(_name: str, _results: list[np.ndarray]) -> list[np.ndarray]:
        nonlocal crashes
        crashes += 1
        raise FAULTS["crashed"][0]()

    device.spoil = crash
    speaker = opened(voice, f"bert=cpu,prosody={KEY},decoder={KEY}")
    assert crashes == 1, "no other graph was tried"
    assert speaker.is_device_lost
    assert speaker.has_failed
    assert "its driver crashed. (exception: access violation" in str(speaker.fallback)
    assert "its driver crashed while it was in use" in str(device_opening.open_device_journal().describe_refusal(KEY))
    assert spoken(speaker, SHORT).size
    speaker.failures.forget_failures()
    assert device_opening.open_device_journal().describe_refusal(KEY) is None


def test_half_precision_that_differs_gives_way_to_single_for_that_graph_alone(
    voice: str, device: PretendDevice, monkeypatch: pytest.MonkeyPatch
) -> None:
    in_half: set[str] = set()

    def spoil(name: str, results: list[np.ndarray]) -> list[np.ndarray]:
        if name.endswith("decoder") and len(in_half) < 1:  # as a driver may sum in half precision
            in_half.add(name)
            return [item + np.float32(0.05) * np.abs(item).max() for item in results]
        return results

    device.spoil = spoil
    place = f"bert=cpu,prosody={KEY},decoder={KEY}"
    cpu, speaker = opened(voice, "cpu"), opened(voice, place)
    assert speaker.fallback is None
    assert speaker.backends == {"bert": "cpu", "prosody": KEY, "flow": KEY, "decode": KEY}
    assert [speaker.sessions[graph].is_half_precision for graph in ("decoder", "flow")] == [False, True]
    assert device_opening.open_device_journal().describe_refusal(KEY) is None, "nothing is recorded against the device"
    right, found = spoken(cpu, SHORT), spoken(speaker, SHORT)
    assert abs(len(right) - len(found)) <= 2 * 512
    held = fixed_shape_session.reserved_bytes[KEY]
    device.opened.clear()
    again = opened(voice, place)  # it is known: half precision is not tried again
    assert again.sessions["decoder"].is_half_precision is False
    assert len(device.opened) == len({*device.opened})
    assert fixed_shape_session.reserved_bytes[KEY] == 2 * held, "of the form that was given up nothing stays counted"


def test_an_int8_bert_is_for_the_cpu_and_that_is_said(voice: str, device: PretendDevice, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(device_opening, "is_slow_bert", lambda _bert: True)
    bert = find_bert(read_prepared_voice(Path(voice)).manifest.bert, paths.list_bert_dirs(), allow_mismatch=True)
    quick = replace(bert, graphs={**bert.graphs, "int8": bert.exact_graph})
    monkeypatch.setattr(speaker_plan, "find_bert", lambda *_args, **_kwargs: quick)
    speaker = open_speaker(voice, f"bert={KEY},prosody=cpu,decoder=cpu", force_bert=True, precision="int8")
    assert speaker.backends["bert"] == "cpu"
    assert speaker.fallback == (
        "BERT runs on the CPU, not on Pretend: int8 is for the CPU. To run it on Pretend, set the precision of the BERT to Auto or float32."
    )
    assert not speaker.has_failed


def test_hard_links_are_not_converted_and_that_is_said(voice: str, device: PretendDevice, tmp_path: Path) -> None:
    linked, folder = Path(voice) / "decoder.onnx", tmp_path / "voice"
    folder.mkdir()
    weights = [file for file in optimized_graphs.list_graph_files(linked) if file != linked]
    assert weights
    (folder / "decoder.onnx").write_bytes(linked.read_bytes())
    for file in weights:
        (folder / file.name).hardlink_to(file)
    store = create_fixed_shape_store(tmp_path / "forms")
    with pytest.raises(NoFixedShapeGraphError, match=r"hard links.*Copy their folder"):
        find_or_make_fixed_shape_graph(store, "decoder", folder / "decoder.onnx")
    with pytest.raises(NoFixedShapeGraphError, match="hard links"):
        find_or_make_fixed_shape_graph(store, "decoder", linked)


def test_without_memory_the_cpu_speaks_and_that_is_said(voice: str, device: PretendDevice, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fixed_shape_opening, "find_memory_limit", lambda _place: 1 << 20)
    speaker = opened(voice, DECODER)
    assert speaker.fallback == "Decode runs on the CPU, not on Pretend: the device does not have enough memory."
    assert not speaker.has_failed, "it only has no room"
    assert device.opened == []
    assert spoken(speaker, SHORT).size
    assert speaker.fallback == "Decode runs on the CPU, not on Pretend: the device does not have enough memory."
    assert not speaker.has_failed


def test_an_opening_that_hangs_leaves_no_second_thread(voice: str, device: PretendDevice, monkeypatch: pytest.MonkeyPatch) -> None:
    released = threading.Event()
    monkeypatch.setitem(BACKENDS, KEY, replace(BACKENDS[KEY], opening_timeout_s=0.3))
    device.before_opening = lambda _size: assert_waited(released)
    before = sum(thread.name == "device" for thread in threading.enumerate())
    speaker = opened(voice, DECODER)
    assert "does not respond" in str(speaker.fallback)
    assert spoken(speaker, MIDDLE).size
    assert sum(thread.name == "device" for thread in threading.enumerate()) == before + 1
    released.set()


def assert_waited(event: threading.Event) -> None:
    assert event.wait(60)


def test_sessions_open_and_run_in_one_thread(voice: str, device: PretendDevice) -> None:
    threads: set[str] = set()
    device.before_opening = lambda _size: threads.add(threading.current_thread().name)

    def note(_name: str, results: list[np.ndarray]) -> list[np.ndarray]:
        threads.add(threading.current_thread().name)
        return results

    device.spoil = note
    spoken(opened(voice, DECODER), MIDDLE)
    assert threads == {"device"}


def test_the_included_voice_stays_on_the_cpu(device: PretendDevice) -> None:
    speaker = opened("mei", KEY)
    assert set(speaker.backends.values()) == {"cpu"}
    assert "no form" in str(speaker.fallback)
    assert device.opened == []


def test_the_included_voice_runs_there_while_it_is_measured_and_where_it_was_found_faster(
    device: PretendDevice, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried = open_speaker("mei", KEY, is_probe=True)
    assert set(tried.backends.values()) == {KEY}
    bert = find_bert(tried.voice.manifest.bert, paths.list_bert_dirs())
    disk_stores.open_probe_memory().save_placement(DECODER, *speaker_plan.collect_choice_facts(tried.voice, bert))
    assert open_speaker("mei", "auto").backends["decode"] == KEY
    assert device.opened == []  # as it is, and in no fixed size


def test_a_process_that_soon_ends_converts_nothing_but_takes_what_is_there(
    voice: str, device: PretendDevice, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    empty = create_fixed_shape_store(tmp_path / "forms")
    with monkeypatch.context() as patch:
        patch.setattr(fixed_shape_opening, "_open_fixed_shape_store", lambda _folder: empty)
        speaker = open_speaker(voice, DECODER, force_bert=True, convert=False)
        assert set(speaker.backends.values()) == {"cpu"}
        assert speaker.fallback is None
        assert not [path for path in (tmp_path / "forms").glob("*") if path.suffix != ".part"]
    opened(voice, DECODER)
    speaker = open_speaker(voice, DECODER, force_bert=True, convert=False)
    speaker.wait_for_devices(LIMIT_S)
    assert speaker.backends["decode"] == KEY


def test_a_conversion_ends_with_the_program(voice: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    ending = threading.Event()
    monkeypatch.setattr(fixed_shape_graph, "PROGRAM_ENDING", ending)
    monkeypatch.setattr(
        fixed_shape_graph, "start_own_program", lambda *_given: subprocess.Popen([sys.executable, "-c", "input()"], stdin=PIPE, stdout=PIPE)
    )
    threading.Timer(0.3, ending.set).start()
    began = time.monotonic()
    with pytest.raises(NoFixedShapeGraphError):
        find_or_make_fixed_shape_graph(create_fixed_shape_store(tmp_path), "decoder", Path(voice) / "decoder.onnx")
    assert time.monotonic() - began < 20


def test_a_damaged_form_leaves_the_graph_on_the_cpu(voice: str, device: PretendDevice, monkeypatch: pytest.MonkeyPatch) -> None:
    def damaged(_form: FixedShapeGraph, _size: int) -> None:
        raise ValueError("no proof")

    monkeypatch.setattr(FixedShapeGraph, "read_verification_runs", damaged)
    speaker = opened(voice, DECODER)
    assert "cannot be read" in str(speaker.fallback)
    assert spoken(speaker, SHORT).size
    assert set(speaker.backends.values()) == {"cpu"}


def test_sizes_that_are_let_go_during_a_sentence_are_the_cpus(voice: str, device: PretendDevice) -> None:
    speaker = opened(voice, DECODER)
    right, sized = spoken(speaker, MIDDLE), speaker.sessions["decoder"]._fixed_shape_session  # type: ignore[attr-defined]
    assert sized is not None
    takes, asked = sized.has_size_for, []

    def then_gone(values: dict[str, np.ndarray]) -> bool:
        found = takes(values)
        asked.append(found)
        if len(asked) == 2:
            sized._sessions.clear()
        return found

    sized.has_size_for = then_gone
    found = spoken(speaker, MIDDLE)
    assert asked[:2] == [True, True]
    assert compute_snr_db([right], [found]) >= LEAST_DB


def test_a_voice_closed_early_opens_nothing_more(voice: str, device: PretendDevice) -> None:
    first = threading.Event()
    device.before_opening = lambda _size: first.set()
    speaker = opened(voice, DECODER)
    count = len(device.opened)
    del speaker
    gc.collect()
    time.sleep(0.2)
    assert len(device.opened) == count


def test_the_first_guess_is_the_decoder_on_an_adapter_of_its_own_memory(voice: str, monkeypatch: pytest.MonkeyPatch) -> None:
    prepared, included = read_prepared_voice(Path(voice)), find_voice("mei", paths.list_voice_dirs())
    assert guess_placement(prepared) == CPU_ONLY
    fast, shared_memory = BackendDevice("directml", 1, "Fast", 8192, 0), BackendDevice("directml", 0, "Integrated", None, 0)
    monkeypatch.setattr(ort_devices, "list_devices", lambda: [shared_memory])
    assert guess_placement(prepared) == CPU_ONLY
    monkeypatch.setattr(ort_devices, "list_devices", lambda: [fast])
    assert str(guess_placement(prepared)) == "bert=cpu,prosody=cpu,decoder=directml:1"
    assert guess_placement(included) == CPU_ONLY
