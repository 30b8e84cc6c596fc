"""The reference configuration: how the closest product computes on a CPU, re-created from its settings.

The float16 BERT without optimisation and without an arena, the voice as one graph without optimisation, one run for the whole text, and
nothing remembered. Text is read by our own front end, so that both speak the same.
"""

from __future__ import annotations

import time
from collections import defaultdict

import numpy as np

from app.adapters.char_tokenizer import CharTokenizer
from app.adapters.ort.bert import OrtBert
from app.adapters.ort.reference import open_as_reference
from app.adapters.ort.synthesizer import OrtOpaqueSynthesizer
from app.bench.home import Originals, no_graph
from app.bench.stages import Figures
from app.compose.text import open_g2p
from app.core.features import phone_features
from app.core.phones import phones_to_ids
from app.core.ports import WholeInput
from app.core.style import style_vector
from app.core.types import SynthesisRequest
from app.voices.containers.sources import read_source
from app.voices.vocabulary import VOCABULARY_NAME


class Reference:
    """Speaks with the files as they come.

    Attributes:
        bert: token ids to features.
        tokenizer: of the same BERT.
    """

    def __init__(self, originals: Originals) -> None:
        voice = read_source(originals.voice)
        if not voice.manifest.opaque:
            raise no_graph(originals.voice)
        self.bert = OrtBert(open_as_reference(originals.bert, "BERT", arena=False), "")
        self.tokenizer = CharTokenizer(originals.bert.parent / VOCABULARY_NAME)
        self._synthesizer = OrtOpaqueSynthesizer(open_as_reference(voice.graphs["whole"], voice.manifest.name, arena=True))
        self._info, self._styles, self._g2p = voice.manifest, voice.style_vectors, open_g2p()

    def speak(self, request: SynthesisRequest) -> Figures:
        """Milliseconds of `bert`, of `synthesis` and in all, and `frames`; the first sound comes with the last."""
        spent: dict[str, float] = defaultdict(float)
        began = time.perf_counter()
        phones = self._g2p.convert(request.text)
        ids = phones_to_ids(phones, multilingual=self._info.multilingual, add_blank=self._info.add_blank)
        token_ids = self.tokenizer.encode(phones.text)
        before = time.perf_counter()
        tokens = self.bert.run(token_ids)
        spent["bert"] = (time.perf_counter() - before) * 1000
        features = phone_features(tokens, ids.word2ph)
        style = style_vector(self._styles, request.style, request.style_weight)
        before = time.perf_counter()
        samples, _ = self._synthesizer.synthesize(
            WholeInput(
                ids.phones, ids.tones, ids.language, features, style, request.speaker,
                1 / request.speed, request.sdp_ratio, request.noise, request.noise_w,
            )
        )  # fmt: skip
        ended = time.perf_counter()
        spent["synthesis"], spent["total"] = (ended - before) * 1000, (ended - began) * 1000
        spent["first_audio"] = spent["total"]
        spent["frames"] = len(np.atleast_1d(samples)) // self._info.hop_length
        return spent
