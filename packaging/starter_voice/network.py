"""The student: a phone encoder that gives state durations and state vectors, and a frame decoder that gives vocoder parameters.

Axes: B lines, n phones (no blanks), f frames of 256 samples, F = f/2 frames of 512 samples.
"""

from __future__ import annotations

import torch
from symbols import SYMBOLS
from torch import Tensor, nn
from torch.nn import functional

STATES = 5
WIDTH = 192
HEADS = 4
INNER = 384
LAYERS = 4
STATE_WIDTH = 64
FEATURES = 6
DECODER_WIDTH = 256
DILATIONS = (1, 2, 1, 2)
CHANNELS = 37  # 35 mel-cepstra, log F0, voicing
TONES = 12
STYLE_INPUTS = 5  # only the first entries of the style vector are used
LONGEST = 120.0  # durations beyond this many 5 ms frames look alike to the decoder


class Attention(nn.Module):
    """Self-attention that forgets with distance: each head learns one slope for what came before and one for what follows."""

    def __init__(self) -> None:
        super().__init__()
        self.qkv = nn.Linear(WIDTH, 3 * WIDTH)
        self.out = nn.Linear(WIDTH, WIDTH)
        self.slopes = nn.Parameter(torch.tensor([[-4.0, -4.0], [-1.0, -1.0], [-3.0, 1.0], [1.0, -3.0]]))

    def forward(self, x: Tensor, distance: Tensor, padding: Tensor) -> Tensor:
        """Shapes: x (B, n, WIDTH), distance (n, n) = i - j, padding (B, 1, 1, n) with -1e4 where there is no phone."""
        batch, count, _ = x.shape
        query, key, value = self.qkv(x).view(batch, count, 3, HEADS, -1).permute(2, 0, 3, 1, 4)
        slopes = self.slopes.exp()
        bias = slopes[:, 0, None, None] * distance.clamp(min=0) + slopes[:, 1, None, None] * (-distance).clamp(min=0)
        mixed = functional.scaled_dot_product_attention(query, key, value, attn_mask=(padding - bias).to(query.dtype))
        return self.out(mixed.transpose(1, 2).reshape(batch, count, WIDTH))


class EncoderLayer(nn.Module):
    """Attention, then a convolution over five phones."""

    def __init__(self) -> None:
        super().__init__()
        self.norm_attention, self.norm_conv = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.attention = Attention()
        self.conv = nn.Conv1d(WIDTH, INNER, 5, padding=2)
        self.back = nn.Linear(INNER, WIDTH)

    def forward(self, x: Tensor, distance: Tensor, padding: Tensor, real: Tensor) -> Tensor:
        """As `Attention.forward`; real (B, n, 1) is 1 where there is a phone."""
        x = x + self.attention(self.norm_attention(x), distance, padding)
        hidden = self.conv((self.norm_conv(x) * real).transpose(1, 2)).transpose(1, 2)
        return x + self.back(functional.relu(hidden))


class Prosody(nn.Module):
    """Phones, tones, features and style to state durations and state vectors."""

    def __init__(self) -> None:
        super().__init__()
        self.phone, self.tone = nn.Embedding(len(SYMBOLS), WIDTH), nn.Embedding(TONES, WIDTH)
        self.features = nn.Linear(1024, WIDTH)
        self.style = nn.Linear(STYLE_INPUTS, WIDTH, bias=False)
        self.layers = nn.ModuleList(EncoderLayer() for _ in range(LAYERS))
        self.norm = nn.LayerNorm(WIDTH)
        self.durations = nn.Linear(WIDTH, STATES)
        self.states = nn.Linear(WIDTH, STATES * STATE_WIDTH)

    def forward(self, phones: Tensor, tones: Tensor, features: Tensor, style: Tensor, real: Tensor) -> tuple[Tensor, Tensor]:
        """From phones, tones (B, n); features (B, n, 1024); style (B, 5); real (B, n) → log1p of 5 ms frames (B, n, 5), vectors (B, n, 5, 64)."""
        x = self.phone(phones) + self.tone(tones) + self.features(features) + self.style(style)[:, None]
        places = torch.arange(phones.shape[1], dtype=torch.float32)
        distance = places[:, None] - places[None]
        padding = (real[:, None, None] - 1) * 1e4
        for layer in self.layers:
            x = layer(x, distance, padding, real[..., None])
        x = self.norm(x)
        return self.durations(x).float(), self.states(x).unflatten(-1, (STATES, STATE_WIDTH))


class Block(nn.Module):
    """Residual convolution over five frames of 512 samples."""

    def __init__(self, dilation: int) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(DECODER_WIDTH)
        self.conv = nn.Conv1d(DECODER_WIDTH, DECODER_WIDTH, 5, padding=2 * dilation, dilation=dilation)
        self.back = nn.Linear(DECODER_WIDTH, DECODER_WIDTH)

    def forward(self, x: Tensor, real: Tensor) -> Tensor:
        """Shapes: x (B, F, DECODER_WIDTH), real (B, F, 1)."""
        hidden = self.conv((self.norm(x) * real).transpose(1, 2)).transpose(1, 2)
        return x + self.back(functional.relu(hidden))


class Frames(nn.Module):
    """State vectors and positions, two frames of 256 samples at a time, to normalised vocoder parameters."""

    def __init__(self) -> None:
        super().__init__()
        self.enter = nn.Linear(2 * (STATE_WIDTH + FEATURES), DECODER_WIDTH)
        self.style = nn.Linear(STYLE_INPUTS, DECODER_WIDTH, bias=False)
        self.blocks = nn.ModuleList(Block(dilation) for dilation in DILATIONS)
        self.norm = nn.LayerNorm(DECODER_WIDTH)
        self.leave = nn.Linear(DECODER_WIDTH, 2 * CHANNELS)

    def forward(self, vectors: Tensor, positions: Tensor, style: Tensor, real: Tensor) -> Tensor:
        """From vectors (B, f, 64), positions (B, f, 6), style (B, 5), real (B, f/2) → (B, f, 37)."""
        batch, count, _ = vectors.shape
        x = torch.cat([vectors, positions.to(vectors.dtype)], -1).reshape(batch, count // 2, -1)
        x = self.enter(x) + self.style(style)[:, None]
        for block in self.blocks:
            x = block(x, real[..., None])
        with torch.autocast("cpu", enabled=False):
            return self.leave(self.norm(x.float())).reshape(batch, count, CHANNELS)


class Student(nn.Module):
    """Both halves, joined by the teacher's timing while training."""

    def __init__(self) -> None:
        super().__init__()
        self.prosody, self.frames = Prosody(), Frames()

    def forward(self, batch: dict[str, Tensor], features: Tensor) -> tuple[Tensor, Tensor]:
        """Log state durations (B, n, 5) and normalised parameters (B, f, 37)."""
        durations, states = self.prosody(batch["phones"], batch["tones"], features, batch["style"], batch["real_phones"])
        vectors = functional.embedding(batch["state_of_frame"], states.reshape(-1, STATE_WIDTH))
        return durations, self.frames(vectors, batch["positions"], batch["style"], batch["real_frames"])
