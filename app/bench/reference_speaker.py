"""The reference configuration: how the closest product computes on a CPU, re-created from its settings.

The float16 BERT without optimisation and without an arena, the voice as one graph without optimisation, one run for the whole text, and
nothing remembered. Text is read by our own front end, so that both speak the same.
"""

from __future__ import annotations

import time
from collections import defaultdict

import numpy as np

from app.adapters.char_tokenizer import CharTokenizer
from app.adapters.ort.optimization_levels import open_like_reference
from app.adapters.ort.ort_synthesizer import OrtBert, OrtSingleGraphSynthesizer
from app.bench.bench_home import OriginalFiles, create_no_graph_error
from app.bench.stage_timing import RunFigures
from app.compose.text_front_end import open_g2p
from app.core.sound.durations import expand_to_phones
from app.core.sound.ports import SingleGraphInput
from app.core.sound.voice_traits import compute_style_vector
from app.core.synthesis_types import SynthesisRequest
from app.core.text.phone_ids import convert_phones_to_ids
from app.voices.bert_models import VOCABULARY_NAME
from app.voices.containers.voice_sources import read_voice_source


class ReferenceSpeaker:
    """Speaks with the files as they come.

    Attributes:
        bert: token ids to features.
        tokenizer: of the same BERT.
    """

    def __init__(self, originals: OriginalFiles) -> None:
        voice = read_voice_source(originals.voice)
        if not voice.manifest.is_single_graph:
            raise create_no_graph_error(originals.voice)
        self.bert = OrtBert(open_like_reference(originals.bert, "BERT", has_arena=False), "")
        self.tokenizer = CharTokenizer(originals.bert.parent / VOCABULARY_NAME)
        self._synthesizer = OrtSingleGraphSynthesizer(open_like_reference(voice.graphs["whole"], voice.manifest.name, has_arena=True))
        self._info, self._styles, self._g2p = voice.manifest, voice.style_vectors, open_g2p()

    def speak_request(self, request: SynthesisRequest) -> RunFigures:
        """Return the milliseconds of `bert`, of `synthesis` and in all, and `frames`; the first sound comes with the last."""
        spent: dict[str, float] = defaultdict(float)
        began = time.perf_counter()
        phones = self._g2p.convert_sentence(request.text)
        ids = convert_phones_to_ids(phones, multilingual=self._info.multilingual, add_blank=self._info.add_blank)
        token_ids = self.tokenizer.encode(phones.text)
        before = time.perf_counter()
        tokens = self.bert.run_graph(token_ids)
        spent["bert"] = (time.perf_counter() - before) * 1000
        features = expand_to_phones(tokens, ids.word2ph)
        style = compute_style_vector(self._styles, request.style, request.style_weight)
        before = time.perf_counter()
        samples, _ = self._synthesizer.synthesize(
            SingleGraphInput(
                ids.phones, ids.tones, ids.language, features, style, request.speaker,
                1 / request.speed, request.sdp_ratio, request.noise, request.noise_w,
            )
        )  # fmt: skip
        ended = time.perf_counter()
        spent["synthesis"], spent["total"] = (ended - before) * 1000, (ended - began) * 1000
        spent["first_audio"] = spent["total"]
        spent["frames"] = len(np.atleast_1d(samples)) // self._info.hop_length
        return spent
