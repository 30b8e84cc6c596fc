"""The stages tokenize, bert and expand: from the text of a sentence to the features of its phones."""

from __future__ import annotations

import numpy as np

from app.core.phone_features import expand_to_phones, round_features
from app.core.phone_ids import PhoneIds
from app.core.render_caches import find_phones
from app.core.sentence_context import SentenceContext
from app.core.stage_clock import StageClock
from app.core.synthesis_types import Float16, Float32, SynthesisRequest

# With [CLS] and [SEP] these characters fill the 512 positions that a BERT was trained on.
LONGEST_BERT_TEXT = 510


def compute_features(text: str, ids: PhoneIds, context: SentenceContext, request: SynthesisRequest, clock: StageClock) -> Float32:
    """Return the features of the phones of a normalised text, float32 (1024, T)."""
    tokens, assist = _compute_token_features(text, context, clock), _compute_assist_features(context, request, clock)
    clock.start_stage()
    features = expand_to_phones(tokens, ids.word2ph, request.bert_weight, assist, request.assist_weight)
    clock.stop_stage("expand", tokens=len(tokens), phones=len(ids.phones))
    return features


def _compute_token_features(text: str, context: SentenceContext, clock: StageClock) -> Float16:
    """Return the features of a text of any length, float16 (n, 1024); a text longer than a BERT takes is read in pieces."""
    pieces = [text[start : start + LONGEST_BERT_TEXT] for start in range(0, len(text), LONGEST_BERT_TEXT)] or [""]
    results = [_run_bert(piece, context, clock) for piece in pieces]
    if len(results) == 1:
        return results[0]
    # Each piece has its own [CLS] and [SEP]; only the first and the last one stay.
    return np.concatenate([results[0][:1], *(piece[1:-1] for piece in results), results[-1][-1:]])


def _run_bert(text: str, context: SentenceContext, clock: StageClock) -> Float16:
    bert_id, caches = context.bert_id, context.caches
    clock.start_stage()
    features = caches.features.get((bert_id, text))
    hit = features is not None
    if features is None and caches.stored is not None:
        features = caches.stored.get(bert_id, text)
    if features is not None:
        clock.skip_stage("tokenize", tokens=len(features))
        clock.stop_stage("bert", cache_hit=True, tokens=len(features))
    else:
        token_ids = context.tokenizer.encode(text)
        clock.stop_stage("tokenize", tokens=len(token_ids))
        clock.start_stage()
        features = round_features(context.bert.run_graph(token_ids))
        clock.stop_stage("bert", tokens=len(token_ids))
        if caches.stored is not None:
            caches.stored.put(bert_id, text, features)
    if not hit:
        caches.features.put((bert_id, text), features, features.nbytes)
    return features


def _compute_assist_features(context: SentenceContext, request: SynthesisRequest, clock: StageClock) -> Float16 | None:
    if not request.assist_text.strip() or not request.assist_weight:
        return None
    phones, _ = find_phones(context.g2p, context.caches.phones, request.assist_text, emoji=context.voice.emoji)
    # The text of the phones is normalised, as BERT expects it.
    return _compute_token_features(phones.text, context, clock)
