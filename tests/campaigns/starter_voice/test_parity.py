"""The hand-written graphs say what the student says, with weights that no training has made small."""

from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime as ort
import pytest
from advice import advise
from cast import CAST, PLACE
from contexts import TONE_OFFSET, Found, contexts
from forest import read_forest
from frontend import analyse, ids_of, normalise

from tests.campaigns.starter_voice.tiny_voice import write_voice

torch = pytest.importorskip("torch", reason="the recipe's torch is not installed; it is an environment of its own")

WORDS = ((0, 0, 0), (58, 0, 0), (66, 63, 58))
STYLES_AT = {("Mei", "Neutral"): (0, None), ("Mei", "Sad"): (0, 4), ("NIT m001", "Neutral"): (2, None)}
HOP_S, STATE_WIDTH = 512 / 44100, 64


def student(seed: int) -> Any:
    """A student whose every weight, those that begin at zero too, is drawn."""
    from network import Student

    torch.manual_seed(seed)
    made = Student().eval()
    with torch.no_grad():
        for name, weight in made.named_parameters():
            if any(part in name for part in ("scale", ".role", "durations", "prosody.states")):
                weight.normal_(std=0.1)
            weight.copy_(weight.half().float())  # graphs keep halves
    return made


@pytest.mark.parametrize("who", STYLES_AT)
def test_graphs_and_student_agree(who: tuple[str, str], tmp_path: Path) -> None:
    from batches import frame_inputs
    from export_flow import export_flow
    from export_prosody import export_prosody
    from network import Finder
    from pretrain import may_be

    made, line, place = student(3), analyse(normalise("今日は、とても良い天気ですね。")), PLACE[who]
    assert line is not None
    roles, still = made.role.weight.detach().numpy(), np.zeros((len(CAST), 2), np.float32)
    mean, deviation = np.linspace(-1, 1, 37, dtype=np.float32), np.linspace(0.1, 0.5, 37, dtype=np.float32)
    mean[35] = 5.5
    (tmp_path / "htsvoice").mkdir()
    for number, role in enumerate(CAST):
        write_voice(tmp_path / "htsvoice" / f"{role.file}.htsvoice", seed=number)
    finder, forest, codes = Finder(len(WORDS)).eval(), read_forest(tmp_path), np.array(WORDS)
    export_prosody(made.prosody, finder, codes, forest, roles, still, tmp_path / "prosody.onnx")
    export_flow(made.frames, roles, still, mean, deviation, tmp_path / "flow.onnx")
    prosody, flow = (ort.InferenceSession(str(tmp_path / f"{name}.onnx")) for name in ("prosody", "flow"))
    speaker, style = STYLES_AT[who]
    moved = np.zeros(256, np.float32)
    if style is not None:
        moved[style] = 1
    same = {"style_vec": moved, "sid": np.array([speaker])}
    ids, tones = ids_of(line), np.array(line.tones)
    features = np.random.default_rng(1).standard_normal((len(ids), 1024)).astype(np.float32)

    def blank(values: np.ndarray) -> np.ndarray:
        row = np.zeros((*values.shape[:-1], 2 * values.shape[-1] + 1), values.dtype)
        row[..., 1::2] = values
        return row

    given = {"x_tst": blank(ids), "tones": blank(tones + TONE_OFFSET), "bert": blank(features.T)}
    noise = np.zeros((2, 2 * len(ids) + 1), np.float32)
    logw, prior, _ = prosody.run(None, {**given, **same, "sdp_ratio": np.array(0, np.float32), "sdp_noise": noise})
    with torch.no_grad():
        phones = torch.from_numpy(ids)[None]
        raised = torch.from_numpy(tones + TONE_OFFSET)[None]
        rows, real, role = torch.from_numpy(features)[None], torch.ones(1, len(ids)), made.role(torch.tensor([place]))
        marks, words = finder(phones, raised, rows, real)
        (begins, voiceless), named = (marks.numpy()[0] > 0).T & may_be(ids), codes[words.argmax(-1).numpy()].reshape(-1, 9)
        lengths, values = advise(forest, ids, contexts(ids, tones, Found(begins, voiceless, named)), place)
        said = (torch.from_numpy(table)[None] for table in (values, np.log1p(lengths)))
        durations, states = made.prosody(phones, raised, *said, role, real)
    vectors = states.reshape(len(ids), -1).numpy()
    assert np.abs(prior[: vectors.shape[1], 1::2].T - vectors).max() < 1e-4 * np.abs(vectors).max()
    ticks = np.expm1(np.maximum(durations.numpy()[0], 0))
    assert np.exp(logw[1::2]) == pytest.approx(ticks.sum(1) * 0.005 / HOP_S + 1e-5, rel=1e-3, abs=1e-3)

    frames = np.full(len(ids), 6)
    length = np.repeat(frames, frames)
    position = (np.tile(np.arange(6), len(ids)) + 0.5).astype(np.float32) / 6
    held = {"z_p": np.repeat(prior[:, 1::2], frames, 1), "frame_position": position, "phone_frames": length.astype(np.float32)}
    z = flow.run(None, {**held, **same, "length_scale": np.array(1, np.float32)})[0].T.reshape(-1, 38)
    shares = (ticks + 1e-3) / (ticks + 1e-3).sum(1, keepdims=True)
    state, positions = frame_inputs((6 * HOP_S * shares).astype(np.float32), 2 * len(length))
    with torch.no_grad():
        picked = states.reshape(-1, STATE_WIDTH)[torch.from_numpy(state)][None]
        guess = made.frames(picked, torch.from_numpy(positions)[None], role, torch.ones(1, len(length)))[0].numpy() * deviation + mean
    error = np.abs(guess[:, :35] - z[:, :35]).max(1)
    assert np.quantile(error, 0.95) < 1e-3  # a frame that falls on the border of two states may pick the other
    assert np.abs(np.median(np.clip(guess[:, 35], np.log(60), np.log(1200)) - z[:, 35])) < 1e-3
