"""The stages tokenize, bert and expand: from the text of a sentence to the features of its phones."""

from __future__ import annotations

import numpy as np

from app.core.features import phone_features, rounded
from app.core.phones import PhoneIds
from app.core.renderings import remembered_phones
from app.core.sentence_context import SentenceContext
from app.core.timing import StageClock
from app.core.types import Float16, Float32, SynthesisRequest

LONGEST_BERT_TEXT = 510  # characters; with [CLS] and [SEP] the 512 positions a BERT was trained on


def features_of(text: str, ids: PhoneIds, context: SentenceContext, request: SynthesisRequest, clock: StageClock) -> Float32:
    """Features of the phones that a normalised text is read as, float32 (1024, T)."""
    tokens, assist = _token_features(text, context, clock), _assist_features(context, request, clock)
    clock.start()
    features = phone_features(tokens, ids.word2ph, request.bert_weight, assist, request.assist_weight)
    clock.stop("expand", tokens=len(tokens), phones=len(ids.phones))
    return features


def _token_features(text: str, context: SentenceContext, clock: StageClock) -> Float16:
    """Features of a text of any length; what is longer than a BERT takes is read in pieces."""
    pieces = [text[start : start + LONGEST_BERT_TEXT] for start in range(0, len(text), LONGEST_BERT_TEXT)] or [""]
    results = [_bert(piece, context, clock) for piece in pieces]
    if len(results) == 1:
        return results[0]
    return np.concatenate([results[0][:1], *(piece[1:-1] for piece in results), results[-1][-1:]])


def _bert(text: str, context: SentenceContext, clock: StageClock) -> Float16:
    bert_id, caches = context.bert_id, context.caches
    clock.start()
    features = caches.features.get((bert_id, text))
    hit = features is not None
    if features is None and caches.stored is not None:
        features = caches.stored.get(bert_id, text)
    if features is not None:
        clock.skip("tokenize", tokens=len(features))
        clock.stop("bert", cache_hit=True, tokens=len(features))
    else:
        token_ids = context.tokenizer.encode(text)
        clock.stop("tokenize", tokens=len(token_ids))
        clock.start()
        features = rounded(context.bert.run(token_ids))
        clock.stop("bert", tokens=len(token_ids))
        if caches.stored is not None:
            caches.stored.put(bert_id, text, features)
    if not hit:
        caches.features.put((bert_id, text), features, features.nbytes)
    return features


def _assist_features(context: SentenceContext, request: SynthesisRequest, clock: StageClock) -> Float16 | None:
    if not request.assist_text.strip() or not request.assist_weight:
        return None
    phones, _ = remembered_phones(context.g2p, context.caches.phones, request.assist_text, emoji=context.voice.emoji)
    return _token_features(phones.text, context, clock)  # normalised, as BERT expects it
