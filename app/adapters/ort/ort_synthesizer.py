"""Runs a voice's graphs, three of them when it is prepared, one when it is opaque, and a BERT's."""

import numpy as np

from app.adapters.ort.graph_session import RunnableSession
from app.common.errors import VoiceError
from app.common.language import localize
from app.core.sound.ports import STEPS_PER_FRAME, FrameInput, Prosody, ProsodyInput, SingleGraphInput
from app.core.synthesis_types import BERT_WIDTH, Float32, Int64

PITCH_OFFSET_INPUT, PITCH_OUTPUT = "pitch_offset", "pitch"


class OrtSynthesizer:
    """Implements `app.core.sound.ports.Synthesizer` with graphs that obey `app.voices.prepared_voice`."""

    def __init__(
        self, prosody: RunnableSession, flow: RunnableSession | None, decoder: RunnableSession, multilingual: bool = False
    ) -> None:
        self._prosody, self._flow, self._decoder = prosody, flow, decoder
        self._multilingual = multilingual

    @property
    def takes_decoder_noise(self) -> bool:
        return "noise" in self._decoder.inputs

    @property
    def takes_pitch_offset(self) -> bool:
        """Return whether the flow takes semitones that are added to its pitch."""
        return self._flow is not None and PITCH_OFFSET_INPUT in self._flow.inputs

    def run_prosody(self, values: ProsodyInput) -> Prosody:
        """Log durations and the prior of each symbol."""
        feed = _build_text_inputs(values, self._multilingual)
        feed |= {"sdp_ratio": values.sdp_ratio, "sdp_noise": values.sdp_noise, "duration_symbol_type_ids": values.kinds}
        logw, mean, log_scale = self._prosody.run_graph(feed, ["logw", "m_p", "logs_p"])
        return Prosody(logw, mean, log_scale)

    def run_flow(self, values: FrameInput) -> Float32:
        """Return what the decoder speaks, frame by frame."""
        return values.z_p if self._flow is None else self._flow.run_graph(self._build_flow_inputs(values), ["z"])[0]

    def find_pitch(self, values: FrameInput) -> Float32 | None:
        """Return the pitch that the flow would speak with, if it says so."""
        if self._flow is None or PITCH_OUTPUT not in self._flow.outputs:
            return None
        return self._flow.run_graph(self._build_flow_inputs(values), [PITCH_OUTPUT])[0]

    def _build_flow_inputs(self, values: FrameInput) -> dict[str, object]:
        feed: dict[str, object] = {
            "z_p": values.z_p, "sid": values.speaker, "style_vec": values.style_vector, "frame_position": values.frame_position,
            "phone_frames": values.phone_frames, "length_scale": values.length_scale,
        }  # fmt: skip
        if self.takes_pitch_offset:
            steps = np.zeros((STEPS_PER_FRAME, values.z_p.shape[1]), np.float32)
            feed[PITCH_OFFSET_INPUT] = steps if values.pitch_offset is None else values.pitch_offset
        if values.melody is not None:
            melody = values.melody
            feed |= {"f0": melody.f0, "melody_weight": melody.weight, "melody_intonation": melody.intonation, "questions": melody.questions}
            feed["energy_offset"] = melody.energy
        return feed

    def decode_window(
        self, z: Float32, noise: Float32 | None, speaker: int, wanted: tuple[int, int], style_vector: Float32 | None = None
    ) -> Float32:
        """Return samples of the wanted frames of one window; decoders that do not crop return more."""
        first, last = wanted
        feed = {"z": z, "noise": noise, "sid": speaker, "style_vec": style_vector, "first": first, "last": last}
        samples = self._decoder.run_graph(feed, ["audio"])[0]
        if "first" in self._decoder.inputs:
            return samples
        return samples[first * len(samples) // z.shape[1] : last * len(samples) // z.shape[1]]

    def terminate(self) -> None:
        """Stop a run in progress."""
        for session in (self._prosody, self._flow, self._decoder):
            if session is not None:
                session.terminate()


class OrtSingleGraphSynthesizer:
    """Implements `app.core.sound.ports.SingleGraphSynthesizer` with the public SBV2 graph."""

    def __init__(self, session: RunnableSession) -> None:
        self._session = session

    def synthesize(self, values: SingleGraphInput) -> tuple[Float32, Int64 | None]:
        """Return samples (N,), and frames per symbol if the graph gives its attention path."""
        feed = _build_text_inputs(values, "ja_bert" in self._session.inputs) | {
            "x_tst_lengths": len(values.phones),
            "length_scale": values.length_scale,
            "sdp_ratio": values.sdp_ratio,
            "noise_scale": values.noise_scale,
            "noise_scale_w": values.noise_scale_w,
        }
        results = self._session.run_graph(feed, self._session.outputs[:2])
        samples = np.asarray(results[0].reshape(-1), np.float32)
        # The attention path [1, 1, F, T], which public exporters leave as the second output.
        paths = [item for item in results[1:] if item.ndim == 4 and item.shape[3] == len(values.phones)]
        return samples, np.asarray(np.rint(paths[0].sum(axis=(0, 1, 2))), np.int64) if paths else None

    def terminate(self) -> None:
        """Stop a run in progress."""
        self._session.terminate()


def _build_text_inputs(values: ProsodyInput | SingleGraphInput, multilingual: bool) -> dict[str, object]:
    """Return the inputs that both kinds of voice share. In multilingual models `bert` is Chinese: Japanese features go into `ja_bert`."""
    feed: dict[str, object] = {
        "x_tst": values.phones, "tones": values.tones, "language": values.language, "sid": values.speaker, "bert": values.features,
        "style_vec": values.style_vector,
    }  # fmt: skip
    if multilingual and values.features is not None:
        empty = np.zeros_like(values.features)
        feed |= {"bert": empty, "ja_bert": values.features, "en_bert": empty}
    return feed


class OrtBert:
    """Implements `app.core.sound.ports.BertRunner`; voices name the one they were trained with by its id."""

    def __init__(self, session: RunnableSession, bert_id: str, width: int = BERT_WIDTH) -> None:
        self._session, self._width, self.id = session, width, bert_id

    def run_graph(self, token_ids: Int64) -> Float32:
        """Return float32 (n, 1024) for int64 (n,), rows of [CLS] and [SEP] included."""
        values = {"input_ids": token_ids, "attention_mask": np.ones_like(token_ids), "token_type_ids": np.zeros_like(token_ids)}
        output = self._session.run_graph(values, self._session.outputs[:1])[0]
        return arrange_rows_by_token(output, len(token_ids), self._width)

    def terminate(self) -> None:
        """Stop a run in progress."""
        self._session.terminate()


def arrange_rows_by_token(output: np.ndarray, tokens: int, width: int = BERT_WIDTH) -> Float32:
    """Return [1, n, width], [1, width, n], [width, n] or [n, width] in the order (n, width)."""
    features = output[0] if output.ndim == 3 else output
    if features.shape != (tokens, width) and features.shape == (width, tokens):
        features = features.T
    if features.shape != (tokens, width):
        raise VoiceError(
            localize(f"BERT の出力の形 {output.shape} が想定と異なります。", f"The BERT outputs an unexpected shape, {output.shape}."),
            localize("Style-Bert-VITS2 用の BERT を選んでください。", "Choose a BERT made for Style-Bert-VITS2."),
        )
    return np.asarray(features, np.float32)
