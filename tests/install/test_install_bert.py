"""BERTs on their way into the library: proved against their source, in place at once or not at all."""

import json
import math
import os
import shutil
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from app.adapters.files import free_space
from app.common.errors import InputError, OutputFileError, VoiceError
from app.common.files import paths
from app.common.progress import Report, ignore_report
from app.install import bert_preparation, install_bert
from app.install.bert_preparation import LEAN_BERT_TOLERANCE, MIN_BERT_COSINE, compute_bert_refinement, prepare_bert
from app.install.install_bert import STANDARD_VOCABULARY_SHA256, add_bert, find_installed_bert, remove_bert
from app.install.refinement_runs import abandon_refinement, refine_installed
from app.install.refinement_work import list_pending_berts
from app.voices.bert_models import BertPreparationResult, compute_vocabulary_sha256, find_bert, list_installed_berts, read_vocabulary
from app.voices.prepare.bert.open_weights import open_deberta_weights
from app.voices.prepare.graph_writer import EXTERNAL_WEIGHT_BYTES
from app.voices.required_bert import SBV2_BERT_ID
from tests.voices.prepare.bert.deberta_files import write_published


@pytest.fixture
def tiny(tiny_models: Path, tmp_path: Path) -> Path:
    # Content alone: where the original may not be changed, Windows would keep the copy from being changed as well.
    return Path(shutil.copytree(tiny_models / "deberta-tiny", tmp_path / "tiny", copy_function=shutil.copyfile))


@pytest.fixture
def target(tmp_path: Path) -> Path:
    (tmp_path / "target").mkdir()
    return tmp_path / "target"


def refine_narrow(folder: Path, results: Path, report: Report = ignore_report, *, is_paused: Callable[[], bool]) -> BertPreparationResult:
    """Refines a BERT of 64 numbers a token."""
    return compute_bert_refinement(folder, results, report, width=64)


@pytest.fixture
def narrow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A BERT of 64 numbers a token, which is enough here."""
    monkeypatch.setattr(install_bert, "prepare_bert_in_sandbox", partial(prepare_bert, width=64))
    return write_published(tmp_path / "narrow", hidden=64, heads=4, inner=128)


@pytest.mark.parametrize(
    ("name", "is_cutting_off", "block"), [("model.onnx", False, 256), ("model_fp16.onnx", False, 256), ("model.onnx", True, None)]
)
def test_both_precisions_are_proved(
    name: str, is_cutting_off: bool, block: int | None, tiny: Path, target: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bert_preparation, "is_cutting_off_sums", lambda: is_cutting_off)
    steps: list[tuple[str, float]] = []
    prepared = prepare_bert(tiny / name, target, lambda *step: steps.append(step), width=64)
    assert prepared.files == {"float32": "bert.onnx", "int8": "bert_int8.onnx"}
    assert prepared.max_rel_diff < 1e-5 < LEAN_BERT_TOLERANCE
    assert prepared.int8_cosine is not None
    assert MIN_BERT_COSINE < prepared.int8_cosine < 1
    assert prepared.int8_block == block
    assert ("MatMulNBits" in {node.op_type for node in onnx.load(str(target / "bert_int8.onnx")).graph.node}) == (block is not None)
    assert {path.name for path in target.iterdir()} == {"bert.onnx", "bert.data", "bert_int8.onnx", "bert_int8.data", "vocab.txt"}
    fractions = [fraction for _, fraction in steps]
    assert fractions == sorted(fractions)
    assert fractions[-1] <= 1


@pytest.mark.parametrize("is_quick", [False, True])
def test_what_the_lean_graph_does_not_compute_is_kept_whole(is_quick: bool, tiny: Path, target: Path) -> None:
    model = onnx.load(str(tiny / "model.onnx"))
    model.graph.initializer.append(numpy_helper.from_array(np.array(1.001, np.float32), "factor"))
    for node in model.graph.node:
        node.output[:] = ["rows" if name == "output" else name for name in node.output]
    model.graph.node.append(helper.make_node("Mul", ["rows", "factor"], ["output"]))
    onnx.save(model, str(tiny / "model.onnx"))
    prepared = prepare_bert(tiny / "model.onnx", target, width=64, is_quick=is_quick)
    assert prepared.kept_whole is not None
    assert "1.0e-03" in prepared.kept_whole
    assert prepared.files == {"float32": "source.onnx"}
    assert {path.name for path in target.iterdir()} == {"source.onnx", "source.data", "vocab.txt"}


@pytest.mark.parametrize("is_cutting_off", [False, True])
def test_a_more_faithful_int8_is_taken_where_the_fast_one_fails(
    is_cutting_off: bool, tmp_path: Path, target: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bert_preparation, "is_cutting_off_sums", lambda: is_cutting_off)
    model = write_published(tmp_path, hidden=64, heads=4, inner=128, outlier=0.1)  # matrices with numbers that stand out
    prepared = prepare_bert(model, target, width=64)
    assert prepared.int8_block == 32
    assert prepared.int8_cosine is not None
    assert prepared.int8_cosine >= MIN_BERT_COSINE
    monkeypatch.setattr(bert_preparation, "MIN_BERT_COSINE", 1.0)
    shutil.rmtree(target)
    target.mkdir()
    prepared = prepare_bert(model, target, width=64)
    assert prepared.int8_cosine is None
    assert prepared.files == {"float32": "bert.onnx"}
    assert not (target / "bert_int8.onnx").exists()


def test_features_of_another_width_are_refused(tiny: Path) -> None:
    """Voices take 1024."""
    with pytest.raises(VoiceError, match="64 wide"):
        add_bert(tiny / "model.onnx")
    assert list((paths.find_data_dir() / "staging").glob("[0-9a-f]*")) == []
    assert not (paths.find_data_dir() / "bert").exists() or list_installed_berts([paths.find_data_dir() / "bert"]) == []


def test_a_missing_vocabulary_is_asked_for(tiny: Path) -> None:
    (tiny / "vocab.txt").unlink()
    with pytest.raises(VoiceError, match="vocabulary") as caught:
        add_bert(tiny / "model.onnx")
    assert "tokenizer.json" in caught.value.hint


@pytest.mark.parametrize(
    "content", ["{", "[]", '{"model": {"vocab": {"[CLS]": 0, "[SEP]": 1, "[UNK]": 5}}}', '{"model": {"vocab": {"a": 0}}}']
)
def test_a_damaged_vocabulary_is_named(content: str, tiny: Path) -> None:
    (tiny / "vocab.txt").unlink()
    (tiny / "tokenizer.json").write_text(content)
    with pytest.raises(VoiceError, match=r"tokenizer\.json"):
        add_bert(tiny)


def test_the_vocabulary_of_another_model_is_refused(tiny: Path, shared: Path, target: Path) -> None:
    shutil.copyfile(shared / "reference" / "deberta-char-wwm" / "vocab.txt", tiny / "vocab.txt")
    with pytest.raises(VoiceError, match="22012 tokens, the model 500"):
        prepare_bert(tiny / "model.onnx", target, width=64)


def test_the_standard_vocabulary_is_known_in_both_forms(shared: Path, tmp_path: Path) -> None:
    folder = shared / "reference" / "deberta-char-wwm"
    for name in ("vocab.txt", "tokenizer.json"):
        alone = tmp_path / name
        alone.mkdir()
        shutil.copyfile(folder / name, alone / name)
        assert compute_vocabulary_sha256(read_vocabulary(alone)) == STANDARD_VOCABULARY_SHA256


def test_a_bert_comes_in_is_found_and_goes(narrow: Path) -> None:
    steps: list[tuple[str, float]] = []
    added = add_bert(narrow, lambda *step: steps.append(step))
    assert not added.was_installed
    assert steps[-1] == ("storing", 1.0)
    bert = added.bert
    assert bert.id.startswith("bert-")
    assert bert.folder == paths.find_data_dir() / "bert" / bert.id
    assert set(bert.graphs) == {"float32"}
    assert list_pending_berts() == [bert]
    facts = json.loads((bert.folder / "bert.json").read_text(encoding="utf-8"))
    assert facts["hidden_size"] == 64
    assert facts["layers"] == 1
    assert find_bert(bert.id, paths.list_bert_dirs()) == bert
    again = add_bert(narrow)
    assert again.was_installed
    assert again.bert == bert
    remove_bert(bert)
    assert not bert.folder.exists()
    with pytest.raises(VoiceError, match="no BERT"):
        find_installed_bert(bert.id)


def test_another_one_of_the_same_id_takes_its_place(narrow: Path, tmp_path: Path) -> None:
    first = add_bert(narrow, id="mine").bert
    other = write_published(tmp_path / "other", hidden=64, heads=4, inner=64, seed=1)
    second = add_bert(other.parent, id="mine").bert
    assert [bert.id for bert in list_installed_berts([paths.find_data_dir() / "bert"])] == ["mine"]
    assert second.source_sha256 != first.source_sha256


def test_a_bert_that_fails_leaves_the_old_one(narrow: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = add_bert(narrow, id="mine").bert
    other = write_published(tmp_path / "other", hidden=64, heads=4, inner=64, seed=1)
    monkeypatch.setattr(bert_preparation, "LEAN_BERT_TOLERANCE", 0.0)  # nothing is ever that equal, and weights have no graph to keep
    with pytest.raises(VoiceError, match="cannot be converted to a correct graph"):
        add_bert(other, id="mine")
    assert list_installed_berts([paths.find_data_dir() / "bert"]) == [first]
    assert list((paths.find_data_dir() / "staging").glob("[0-9a-f]*")) == []


@pytest.mark.parametrize("name", ["model.onnx", "model_fp16.onnx", "model.safetensors"])
def test_both_steps_make_what_one_makes(name: str, tiny: Path, target: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(install_bert, "prepare_bert_in_sandbox", partial(prepare_bert, width=64))
    if name.endswith(".safetensors"):
        tiny = write_published(tiny / "published", hidden=64, heads=4, inner=128).parent
    at_once = prepare_bert(tiny / name, target, width=64)
    bert = add_bert(tiny / name, id="mine").bert
    # Only the mark and the original are more than what is kept.
    shutil.rmtree(tiny)
    assert bert.size_bytes > sum(item.stat().st_size for item in target.glob("bert.*"))
    assert refine_installed(bert, is_paused=lambda: False, refine=refine_narrow) == "refined"
    assert list_pending_berts() == []
    assert {item.name for item in bert.folder.iterdir()} == {item.name for item in target.iterdir()} | {"bert.json"}
    for item in target.iterdir():
        assert (bert.folder / item.name).read_bytes() == item.read_bytes()
    facts = json.loads((bert.folder / "bert.json").read_text(encoding="utf-8"))
    assert facts["id"] == "mine"
    assert facts.items() >= at_once.build_description().items()
    assert find_installed_bert("mine").int8_cosine == at_once.int8_cosine
    assert refine_installed(bert, refine=refine_narrow) == "replaced"


def test_a_float16_original_takes_half_the_space_and_reads_the_same(tiny: Path, target: Path) -> None:
    prepare_bert(tiny / "model_fp16.onnx", target, width=64, is_quick=True)
    graph = onnx.load(str(target / "original.onnx"), load_external_data=False).graph
    large = [item for item in graph.initializer if math.prod(item.dims) >= EXTERNAL_WEIGHT_BYTES // 2]
    assert len(large) > 3
    assert {(item.data_type, item.data_location) for item in large} == {(TensorProto.FLOAT16, TensorProto.EXTERNAL)}
    ours, theirs = open_deberta_weights(target / "original.onnx"), open_deberta_weights(tiny / "model_fp16.onnx")
    assert ours.architecture == theirs.architecture
    for name in ("embeddings.word_embeddings", "encoder.conv.conv", "encoder.conv.LayerNorm"):
        np.testing.assert_array_equal(ours.read_tensor(f"{name}.weight"), theirs.read_tensor(f"{name}.weight"))
    np.testing.assert_array_equal(
        ours.read_matrix("encoder.layer.2.intermediate.dense"), theirs.read_matrix("encoder.layer.2.intermediate.dense")
    )
    np.testing.assert_array_equal(ours.read_position_tables(1), theirs.read_position_tables(1))


def test_what_a_short_text_does_not_show_is_kept_whole_later(tiny: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(install_bert, "prepare_bert_in_sandbox", partial(prepare_bert, width=64))
    bert = add_bert(tiny / "model_fp16.onnx", id="mine").bert
    monkeypatch.setattr(bert_preparation, "LEAN_BERT_TOLERANCE", 0.0)  # nothing is ever that equal
    assert refine_installed(bert, is_paused=lambda: False, refine=refine_narrow) == "refined"
    whole = find_installed_bert("mine")
    assert whole.kept_whole
    assert whole.exact_graph.name == "source.onnx"
    assert {item.name for item in whole.folder.iterdir()} == {"source.onnx", "source.data", "vocab.txt", "bert.json"}


def test_a_refinement_that_fails_keeps_the_bert_and_one_for_another_bert_is_dropped(
    narrow: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bert = add_bert(narrow, id="mine").bert

    def replace_meanwhile(
        folder: Path, results: Path, report: Report = ignore_report, *, is_paused: Callable[[], bool]
    ) -> BertPreparationResult:
        other = write_published(tmp_path / "other", hidden=64, heads=4, inner=64, seed=1)
        add_bert(other, id="mine")
        return refine_narrow(folder, results, report, is_paused=is_paused)

    assert refine_installed(bert, refine=replace_meanwhile) == "replaced"
    second = find_installed_bert("mine")
    assert second.source_sha256 != bert.source_sha256
    assert set(second.graphs) == {"float32"}
    assert list_pending_berts() == [second]
    monkeypatch.setattr(bert_preparation, "LEAN_BERT_TOLERANCE", 0.0)  # weights have no graph to keep instead
    assert refine_installed(second, is_paused=lambda: False, refine=refine_narrow) == "failed"
    kept = find_installed_bert("mine")
    assert kept.graphs == second.graphs
    assert "can be used as it is" in kept.note
    assert {item.name for item in kept.folder.iterdir()} == {"bert.onnx", "bert.data", "vocab.txt", "bert.json"}
    assert list_pending_berts() == []


def test_an_abandoned_refinement_begins_again_only_when_the_bert_is_added_again(narrow: Path) -> None:
    bert = add_bert(narrow, id="mine").bert
    abandon_refinement(bert.folder, "bert")
    assert list_pending_berts() == []
    assert not (bert.folder / "original.safetensors").exists()
    assert refine_installed(bert, refine=refine_narrow) == "replaced"
    abandon_refinement(bert.folder, "bert")  # of one that is not pending
    found = find_installed_bert("mine")
    assert found == replace(bert, is_abandoned=True)
    again = add_bert(narrow, id="mine")
    assert not again.was_installed
    assert not again.bert.is_abandoned
    assert refine_installed(again.bert, refine=refine_narrow) == "refined"
    abandon_refinement(bert.folder, "bert")
    assert not find_installed_bert("mine").is_abandoned, "there was nothing to abandon"
    assert add_bert(narrow, id="mine").was_installed


@pytest.mark.parametrize("id", ["", "../x", "Ä", "a b", "-x", "x" * 65])
def test_ids_are_names_of_folders(id: str, narrow: Path) -> None:  # noqa: A002
    with pytest.raises(InputError, match="valid BERT ID"):
        add_bert(narrow, id=id)


def test_a_full_disk_is_told_before_the_work(narrow: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(free_space, "RESERVED_DISK_BYTES", 1 << 60)
    with pytest.raises(OutputFileError, match="Not enough disk space"):
        add_bert(narrow)


def test_the_shipped_bert_stays() -> None:
    bert = find_installed_bert("koebako-starter-v1")
    with pytest.raises(VoiceError, match="comes with Koebako"):
        remove_bert(bert)
    assert bert.exact_graph.is_file()


def test_a_missing_standard_bert_tells_how_to_get_it() -> None:
    with pytest.raises(VoiceError, match="missing") as caught:
        find_bert(SBV2_BERT_ID, paths.list_bert_dirs())
    assert "koebako bert add --hub" in caught.value.hint
    assert "653 MB" in caught.value.hint


@pytest.mark.slow
@pytest.mark.parametrize("name", ["model_fp16.onnx", "model.onnx"])
def test_the_real_size(name: str, tmp_path: Path) -> None:
    """Exact to a millionth, in a minute or so and under 3 GB."""
    folder = Path(os.environ.get("KOEBAKO_REAL_BERT", ""))
    if not (folder / name).is_file():
        pytest.skip("KOEBAKO_REAL_BERT does not name a folder of such a model (make_reference_models.py bert --size real)")
    bert = add_bert(folder / name).bert
    assert refine_installed(bert, is_paused=lambda: False) == "refined"
    assert bert.id == SBV2_BERT_ID
    assert "CC BY-SA 4.0" in bert.licence
    facts = json.loads((bert.folder / "bert.json").read_text(encoding="utf-8"))
    assert facts["max_rel_diff"] < 1e-5
    assert facts["int8_cosine"] >= MIN_BERT_COSINE
