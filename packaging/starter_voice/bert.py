"""The starter BERT: a small DeBERTa-style character model. Disentangled attention: content to content, to position, from position.

Distances go through logarithmic buckets; the position tables do not depend on the text, so export folds them into constants.
"""

import math

import torch
from torch import Tensor, nn
from torch.nn import functional

WIDTH = 192
HEADS = 3
LAYERS = 4
INNER = 768
OUTPUT = 1024
FARTHEST = 511
NEAR = 16  # distances below this have a bucket each
BUCKETS = 31  # each side, without zero


def bucket_of(distance: int) -> int:
    """Bucket of a signed distance: 0 … 2·BUCKETS."""
    size = abs(distance)
    if size >= NEAR:
        size = NEAR + round(math.log(min(size, FARTHEST) / NEAR) / math.log(FARTHEST / NEAR) * (BUCKETS - NEAR))
    return BUCKETS + (size if distance > 0 else -size)


BUCKET_TABLE = torch.tensor([bucket_of(distance) for distance in range(-FARTHEST, FARTHEST + 1)])


class Layer(nn.Module):
    """One transformer layer, norms first."""

    def __init__(self) -> None:
        super().__init__()
        self.norm_attention, self.norm_inner = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.qkv = nn.Linear(WIDTH, 3 * WIDTH)
        self.out = nn.Linear(WIDTH, WIDTH)
        self.inner, self.back = nn.Linear(WIDTH, INNER), nn.Linear(INNER, WIDTH)

    def tables(self, places: Tensor) -> tuple[Tensor, Tensor]:
        """Position queries and keys, (HEADS, buckets, WIDTH/HEADS), from the place embedding."""
        query, key, _ = self.qkv(places).chunk(3, -1)
        shape = (places.shape[0], HEADS, -1)
        return query.reshape(shape).transpose(0, 1), key.reshape(shape).transpose(0, 1)

    def forward(self, x: Tensor, places: Tensor, buckets: Tensor, padding: Tensor) -> Tensor:
        """Shapes: x (B, n, WIDTH); places (buckets, WIDTH); buckets (n, n) of i - j; padding (B, 1, 1, n)."""
        batch, count, _ = x.shape
        query, key, value = self.qkv(self.norm_attention(x)).view(batch, count, 3, HEADS, -1).permute(2, 0, 3, 1, 4)
        place_query, place_key = self.tables(places)
        index = buckets.expand_prior(batch, HEADS, count, count)
        to_place = (query @ place_key.transpose(1, 2)).gather(-1, index)
        from_place = (key @ place_query.transpose(1, 2)).gather(-1, index.transpose(-1, -2)).transpose(-1, -2)
        scores = (query @ key.transpose(-1, -2) + to_place + from_place) / math.sqrt(3 * WIDTH / HEADS)
        mixed = (scores.float() + padding).softmax(-1).to(value.dtype) @ value
        x = x + self.out(mixed.transpose(1, 2).reshape(batch, count, WIDTH))
        return x + self.back(functional.relu(self.inner(self.norm_inner(x))))


class StarterBert(nn.Module):
    """Character ids to features."""

    def __init__(self, vocabulary: int) -> None:
        super().__init__()
        self.tokens = nn.Embedding(vocabulary, WIDTH)
        nn.init.normal_(self.tokens.weight, std=0.5)
        self.places = nn.Embedding(2 * BUCKETS + 1, WIDTH)
        self.norm_places = nn.LayerNorm(WIDTH)
        self.layers = nn.ModuleList(Layer() for _ in range(LAYERS))
        self.norm = nn.LayerNorm(WIDTH)
        self.project = nn.Linear(WIDTH, OUTPUT)

    def forward(self, ids: Tensor, real: Tensor) -> Tensor:
        """ids, real (B, n) → features (B, n, 1024)."""
        count = ids.shape[1]
        offsets = torch.arange(count)
        buckets = BUCKET_TABLE[offsets[:, None] - offsets[None] + FARTHEST]
        padding = (real[:, None, None] - 1) * 1e4
        x = self.tokens(ids)
        places = self.norm_places(self.places.weight)
        for layer in self.layers:
            x = layer(x, places, buckets, padding)
        return self.project(self.norm(x))
