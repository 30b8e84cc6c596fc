"""The starter voice as shipped: it keeps the contract, bears every setting, and its windows join as if decoded whole."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import numpy as np
import onnxruntime as ort
import pytest

from app.adapters.char_tokenizer import CharTokenizer
from app.core.durations import round_with_carry
from app.core.style import style_vector
from app.core.windows import plan_windows
from app.voices.manifest import read_manifest

RESOURCES = Path(__file__).parents[2] / "resources"
VOICE, BERT = RESOURCES / "voices" / "mei", RESOURCES / "bert" / "starter"
HOP = 512
# 今日は,いい天気ですか in ids of the SBV2 table; a last mark and "_" follow
PHONES = [0, 58, 65, 65, 97, 8, 106, 40, 40, 78, 26, 5, 57, 40, 23, 26, 76, 82, 57, 8]
TONES = [6, 7, 7, 6, 6, 6, 6, 7, 6, 7, 7, 6, 6, 6, 6, 6, 6, 6, 6, 6]
COMMA, STOP, QUESTION = 106, 107, 104
PINNED = {"prosody": {"x_tst", "tones", "language", "sid", "bert", "style_vec", "sdp_ratio", "sdp_noise"}}
PINNED["flow"] = {"z_p", "sid", "style_vec", "frame_position", "phone_frames", "length_scale"}
PINNED["decoder"] = {"z", "sid", "noise"}


class Voice:
    """Sessions of the shipped graphs, driven as the pipeline drives them."""

    def __init__(self) -> None:
        options = ort.SessionOptions()
        options.intra_op_num_threads = 1
        self.manifest = read_manifest(VOICE)
        self.sessions = {name: ort.InferenceSession(str(VOICE / file), options) for name, file in self.manifest.graphs.items()}
        self.bert = ort.InferenceSession(str(BERT / "bert.onnx"), options)
        self.tokenizer = CharTokenizer(BERT / "vocab.txt")
        self.styles = np.load(VOICE / "style_vectors.npy")

    def prosody(self, phones: list[int], tones: list[int], style: np.ndarray, noise: float = 0.0, text: str = "") -> list[np.ndarray]:
        symbols = np.zeros((2, 2 * len(phones) + 1), np.int64)
        symbols[:, 1::2] = phones, tones
        count = symbols.shape[1]
        features = np.zeros((1024, count), np.float32)
        if text:
            rows = self.bert.run(None, {"input_ids": self.tokenizer.encode(text)})[0]
            features = rows[np.arange(count) * len(rows) // count].T.copy()
        drawn = np.random.default_rng(1).standard_normal((2, count), np.float32) * np.float32(noise)
        values = {"x_tst": symbols[0], "tones": symbols[1], "bert": features, "style_vec": style}
        return self.sessions["prosody"].run(None, {**values, "sdp_ratio": np.array(0.2, np.float32), "sdp_noise": drawn})

    def flow(self, logw: np.ndarray, mean: np.ndarray, style: np.ndarray, scale: float = 1.0) -> np.ndarray:
        frames = round_with_carry(np.exp(logw) * scale)
        length = np.repeat(frames, frames)
        starts = np.repeat(np.cumsum(frames) - frames, frames)
        position = (np.arange(len(length)) - starts + 0.5) / length
        values = {"z_p": np.repeat(mean, frames, axis=1), "style_vec": style, "length_scale": np.array(scale, np.float32)}
        values |= {"frame_position": position.astype(np.float32), "phone_frames": length.astype(np.float32)}
        return self.sessions["flow"].run(None, values)[0]

    def decode(self, z: np.ndarray, noise: np.ndarray) -> np.ndarray:
        return self.sessions["decoder"].run(None, {"z": np.ascontiguousarray(z), "noise": noise})[0]

    def speak(self, phones: list[int], tones: list[int], style: np.ndarray, scale: float = 1.0) -> np.ndarray:
        logw, mean, _ = self.prosody(phones, tones, style)
        z = self.flow(logw, mean, style, scale)
        return self.decode(z, np.random.default_rng(0).standard_normal(z.shape[1] * HOP, np.float32))


@pytest.fixture(scope="module")
def voice() -> Voice:
    return Voice()


def line(mark: int = STOP) -> tuple[list[int], list[int]]:
    return [*PHONES, mark, 0], [*TONES, 6, 6]


def log_f0(z: np.ndarray) -> np.ndarray:
    """Log F0 of the voiced frames of 256 samples."""
    halves = z.T.reshape(-1, z.shape[0] // 2)
    return halves[halves[:, 36] > 0.5, 35]


def test_graphs_declare_only_what_the_contract_knows(voice: Voice) -> None:
    for name, session in voice.sessions.items():
        assert {value.name for value in session.get_inputs()} <= PINNED[name]
    assert voice.manifest.hop_length == HOP
    assert len(voice.manifest.styles) == len(voice.styles) == 5
    assert not voice.styles[0].any()


def test_voice_and_bert_are_small() -> None:
    assert sum(path.stat().st_size for folder in (VOICE, BERT) for path in folder.iterdir()) < 30e6


def test_bert_is_the_one_the_voice_names(voice: Voice) -> None:
    description = json.loads((BERT / "bert.json").read_text(encoding="utf-8"))
    assert description["id"] == voice.manifest.bert
    assert description["hidden_size"] == 1024
    assert description["sha256"] == hashlib.sha256((BERT / "bert.onnx").read_bytes()).hexdigest()


@pytest.mark.parametrize("count", [2, 3, 20, 512])
def test_bert_reads_any_length(voice: Voice, count: int) -> None:
    ids = np.random.default_rng(0).integers(5, 6000, count)
    features = voice.bert.run(None, {"input_ids": ids})[0]
    assert features.shape == (count, 1024)
    assert np.isfinite(features).all()


def test_bert_reads_context(voice: Voice) -> None:
    one, other = (voice.bert.run(None, {"input_ids": voice.tokenizer.encode(text)})[0] for text in ("雨が降る", "飴が降る"))
    assert np.abs(one[3] - other[3]).max() > 1e-3


def test_blanks_take_no_time_and_noise_changes_lengths_a_little(voice: Voice) -> None:
    phones, tones = line()
    still, _, scale = voice.prosody(phones, tones, voice.styles[0])
    moved, _, _ = voice.prosody(phones, tones, voice.styles[0], noise=0.8)
    assert (still[::2] <= -1e4).all()
    change = np.abs(moved[1::2] - still[1::2])
    assert 0.01 < change.max() < 0.2
    assert (scale[:-1] < -20).all()


def test_every_style_speaks_cleanly(voice: Voice) -> None:
    sounds = [voice.speak(*line(), style) for style in voice.styles]
    for sound in sounds:
        assert np.isfinite(sound).all()
        assert 0.1 < np.abs(sound).max() <= 10 ** (-1 / 20)
        assert abs(sound.mean()) < 1e-3
        assert 1.0 < len(sound) / 44100 < 4.0


def test_windows_join_exactly(voice: Voice) -> None:
    phones, tones = line()
    logw, mean, _ = voice.prosody(phones * 2, tones * 2, voice.styles[0])
    z = voice.flow(logw, mean, voice.styles[0])
    noise = np.random.default_rng(2).standard_normal(z.shape[1] * HOP, np.float32)
    whole, joined = voice.decode(z, noise), []
    for window in plan_windows(z.shape[1], voice.manifest.windows, voice.manifest.margin_frames):
        part = voice.decode(z[:, window.start : window.end], noise[window.start * HOP : window.end * HOP])
        joined.append(part[(window.first - window.start) * HOP : (window.last - window.start) * HOP])
    assert len(joined) > 2
    assert np.abs(np.concatenate(joined) - whole).max() < 2e-6


def test_every_symbol_of_the_table_can_be_spoken(voice: Voice) -> None:
    for start in range(0, 112, 16):
        sound = voice.speak([0, *range(start, start + 16), 0], [6, *[7] * 16, 6], voice.styles[1])
        assert np.isfinite(sound).all()
        assert np.abs(sound).max() <= 10 ** (-1 / 20)


@pytest.mark.parametrize("weight", [0.0, 0.5, 1.5, 3.0, 10.0])
def test_no_style_weight_breaks_the_voice(voice: Voice, weight: float) -> None:
    for style in range(1, 5):
        logw, mean, _ = voice.prosody(*line(), style_vector(voice.styles, style, weight))
        z = voice.flow(logw, mean, style_vector(voice.styles, style, weight))
        assert 0.5 < np.exp(logw).sum() * HOP / 44100 < 6.0
        assert 150 < np.exp(np.median(log_f0(z))) < 700


def test_happy_is_higher_than_sad(voice: Voice) -> None:
    happy, sad = (np.median(log_f0(voice.flow(*voice.prosody(*line(), voice.styles[k])[:2], voice.styles[k]))) for k in (1, 4))
    assert happy > sad + 0.05


def test_questions_rise(voice: Voice) -> None:
    ends = {}
    for mark in (STOP, QUESTION):
        logw, mean, _ = voice.prosody(*line(mark), voice.styles[0])
        ends[mark] = log_f0(voice.flow(logw, mean, voice.styles[0]))[-8:].mean()
    assert (ends[QUESTION] - ends[STOP]) * 1200 / np.log(2) > 150


def test_speed_scales_the_length(voice: Voice) -> None:
    normal, fast = (len(voice.speak(*line(), voice.styles[0], scale)) / HOP for scale in (1.0, 0.5))
    assert abs(fast - normal / 2) <= 1


def test_a_single_mora_and_a_very_long_line(voice: Voice) -> None:
    for vowel in (8, 40, 82, 26, 65):
        assert np.abs(voice.speak([0, vowel, STOP, 0], [6] * 4, voice.styles[0])).max() > 0.05
    phones, tones = line(COMMA)
    logw, mean, _ = voice.prosody(phones * 28, tones * 28, voice.styles[0])
    assert len(logw) > 1200
    pitch = log_f0(voice.flow(logw, mean, voice.styles[0]))
    assert 200 < np.exp(pitch.min()) < np.exp(pitch.max()) < 800
    parts = np.exp(logw[1::2]).reshape(28, -1).sum(1)
    assert parts[1:-1].max() < 1.5 * parts[1:-1].min()


def test_features_of_the_text_are_heard(voice: Voice) -> None:
    phones, tones = line()
    without, with_text = (voice.prosody(phones, tones, voice.styles[0], text=text)[0] for text in ("", "今日は,いい天気ですか."))
    assert np.abs(without[1::2] - with_text[1::2]).max() > 1e-3
