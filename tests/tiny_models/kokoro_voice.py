"""A prepared voice of the Kokoro architecture whose sound is a sine at the pitch that its flow was given, so that tests can measure it.

Its graphs keep the contract of `app.voices.prepared_voice`, and the sound leads its frames as the architecture says. As the real one, it is
silent for the first third of a second that its flow is given. Every token has a fixed length, the marks are silent, and the two speakers
have monotonous melodies of their own, which `accent_fidelity` mixes with ours.
"""

from pathlib import Path

import numpy as np
import onnx

from app.core.sound.voice_traits import KOKORO_ARCHITECTURE
from app.core.synthesis_types import STYLE_WIDTH
from app.core.text.phone_ids import KOKORO_PAD_ID, KOKORO_TOKEN_IDS
from app.voices.prepare.graph_store import store_graph
from app.voices.prepare.graph_writer import GraphWriter
from app.voices.prepared_voice import NamedId, VoiceManifest, write_manifest

RATE, HOP = 24000, 600
STEP = HOP // 2  # samples of one value of the melody
LEAD_STEPS = round(KOKORO_ARCHITECTURE.sound_lead_s * RATE / STEP)
VOICE_ID = "tiny-kokoro"
OWN_HZ = (170.0, 120.0, 240.0, 180.0)
"""The own, monotonous pitch of each row of the style vectors: their mean, two speakers, and a blend of both."""
MEDIAN_HZ = (165.0, 125.0, 230.0, 175.0)
LETTER_FRAMES, MARK_FRAMES, SPACE_FRAMES, EDGE_FRAMES = 3.4, 8.0, 1.0, 14.0
DUMB_FRAMES = 11.0  # from the first frame that the flow is given
QUESTION_SEMITONES = 5.0
SILENT = (KOKORO_PAD_ID, *(KOKORO_TOKEN_IDS[letter] for letter in ",.!?“” ʔ"))
TOKENS = 180
PEAK = 0.3
WHOLE = onnx.TensorProto.INT64


def make_kokoro_voice(folder: Path) -> Path:
    """Write the voice into a new folder and return it."""
    folder.mkdir(parents=True)
    graphs = {"prosody": _build_prosody_graph(), "flow": _build_flow_graph(), "decoder": _build_decoder_graph()}
    files = {name: store_graph(model, folder, name) for name, model in graphs.items()}
    styles = np.zeros((len(OWN_HZ), STYLE_WIDTH), np.float32)
    styles[:, 0] = np.log(OWN_HZ)
    np.save(folder / "style_vectors.npy", styles)
    manifest = VoiceManifest(
        id=VOICE_ID,
        name="Tiny Kokoro",
        format="kokoro",
        bert="",
        sampling_rate=RATE,
        hop_length=HOP,
        speakers=(NamedId(0, "low"), NamedId(1, "high")),
        styles=(NamedId(0, "Neutral"), NamedId(1, "between")),
        graphs=files,
        durations="round",
        margin_frames=1,
        windows=(8, 16, 48),
        add_blank=False,
        licence="CC0",
        architecture="kokoro",
        median_f0=MEDIAN_HZ,
    )
    write_manifest(manifest, folder)
    return folder


def _build_prosody_graph() -> onnx.ModelProto:
    """Build x_tst, style_vec → logw, m_p (token, whether it sounds, log of the own pitch), logs_p without rows."""
    writer = GraphWriter("prosody", "T")
    tokens, style = writer.add_input("x_tst", ["T"], WHOLE), writer.add_input("style_vec", [STYLE_WIDTH])
    frames, sounds = np.full(TOKENS, LETTER_FRAMES), np.ones(TOKENS)
    frames[[KOKORO_TOKEN_IDS[letter] for letter in ",.!?"]], frames[KOKORO_TOKEN_IDS[" "]], frames[KOKORO_PAD_ID] = (
        MARK_FRAMES,
        SPACE_FRAMES,
        EDGE_FRAMES,
    )
    sounds[list(SILENT)] = 0
    writer.add_output("logw", writer.add_node("Gather", writer.add_weight("frames", np.log(frames)), tokens), ["T"])
    voiced = writer.add_node("Gather", writer.add_weight("sounds", sounds), tokens)
    own = writer.add_node("Gather", style, writer.add_constant([0], np.int64))
    number = writer.add_node("Cast", tokens, to=onnx.TensorProto.FLOAT)
    pitch = writer.add_node("Add", writer.add_node("Mul", number, writer.add_constant(0.0)), own)
    rows = [writer.add_reshape(value, [1, -1]) for value in (number, voiced, pitch)]
    prior = writer.add_node("Concat", *rows, axis=0)
    writer.add_output("m_p", prior, [len(rows), "T"])
    nothing = writer.add_node("Slice", prior, *(writer.add_constant([end], np.int64) for end in (0, 0, 0)))
    writer.add_output("logs_p", nothing, [0, "T"])
    return writer.build_model()


def _build_flow_graph() -> onnx.ModelProto:
    """Build z_p, style_vec, f0, melody_weight, questions, pitch_offset → pitch, and z: pitch and phase of both steps of a frame, and whether they sound."""
    writer = GraphWriter("flow", "F")
    prior = writer.add_input("z_p", [3, "F"])
    asked, weight = writer.add_input("f0", ["steps"]), writer.add_input("melody_weight", [])
    _, sounds, own = writer.add_split(prior, [1, 1, 1], axis=0)
    logs = writer.add_reshape(writer.add_node("Log", asked), [-1, 2])
    own = writer.add_transpose(own, 1, 0)
    moved = writer.add_node("Mul", writer.add_node("Sub", logs, own), weight)
    drawn = writer.add_transpose(writer.add_input("pitch_offset", [2, "F"]), 1, 0)
    rising = writer.add_node("ReduceMax", writer.add_input("questions", ["Q", "steps"]), axes=[0], keepdims=0)
    rise = writer.add_node("Mul", writer.add_reshape(rising, [-1, 2]), writer.add_constant(QUESTION_SEMITONES))
    raised = writer.add_node("Add", drawn, rise)
    moved = writer.add_node("Add", moved, writer.add_node("Mul", raised, writer.add_constant(np.log(2) / 12)))
    pitch = writer.add_node("Exp", writer.add_node("Add", own, moved))  # [F, 2]
    turns = writer.add_reshape(writer.add_node("Mul", pitch, writer.add_constant(STEP / RATE)), [-1])
    phase = writer.add_node("CumSum", turns, writer.add_constant(0, np.int64), exclusive=1)
    phase = writer.add_reshape(writer.add_node("Sub", phase, writer.add_node("Floor", phase)), [-1, 2])
    ones = writer.add_node("Add", writer.add_node("Mul", sounds, writer.add_constant(0.0)), writer.add_constant(1.0))
    places = writer.add_node("CumSum", ones, writer.add_constant(1, np.int64))
    speaks = writer.add_node("Cast", writer.add_node("Greater", places, writer.add_constant(DUMB_FRAMES)), to=onnx.TensorProto.FLOAT)
    sounds = writer.add_node("Mul", sounds, speaks)
    later = writer.add_node("Pad", _repeat_steps(writer, sounds), writer.add_constant([0, LEAD_STEPS], np.int64))
    later = writer.add_node("Slice", later, *(writer.add_constant([end], np.int64) for end in (LEAD_STEPS, np.iinfo(np.int64).max, 0)))
    rows = [writer.add_transpose(value, 1, 0) for value in (pitch, phase, writer.add_reshape(later, [-1, 2]))]
    writer.add_output("z", writer.add_node("Concat", *rows, axis=0), [6, "F"])
    writer.add_output("pitch", writer.add_node("Identity", rows[0]), [2, "F"])
    return writer.build_model()


def _repeat_steps(writer: GraphWriter, row: str) -> str:
    """Return a row [1, F] as two values a frame, [2F]."""
    column = writer.add_transpose(row, 1, 0)
    return writer.add_reshape(writer.add_node("Concat", column, column, axis=1), [-1])


def _build_decoder_graph() -> onnx.ModelProto:
    """Build z, style_vec, first, last → audio, a sine."""
    writer = GraphWriter("decoder", "W")
    values, style = writer.add_input("z", [6, "W"]), writer.add_input("style_vec", [STYLE_WIDTH])
    first, last = (writer.add_input(name, [1], WHOLE) for name in ("first", "last"))
    rows = writer.add_split(values, [2, 2, 2], axis=0)
    pitch, phase, sounds = (writer.add_reshape(writer.add_transpose(value, 1, 0), [-1, 2, 1]) for value in rows)
    ramp = writer.add_constant(np.arange(STEP) / RATE)
    turns = writer.add_node("Add", writer.add_node("Mul", pitch, ramp), phase)
    sine = writer.add_node("Sin", writer.add_node("Mul", turns, writer.add_constant(2 * np.pi)))
    louder = writer.add_node("Gather", style, writer.add_constant(1, np.int64))
    peak = writer.add_node("Add", louder, writer.add_constant(PEAK))
    loudness = writer.add_node("Mul", sounds, peak)
    spoken = writer.add_node("Mul", sine, loudness)
    wanted = writer.add_node("Slice", spoken, first, last, writer.add_constant([0], np.int64))
    writer.add_output("audio", writer.add_reshape(wanted, [-1]), ["N"])
    return writer.build_model()
