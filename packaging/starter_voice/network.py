"""The student: a finder of what the teachers' trees ask about, an encoder that mends what the trees say of a phone, and a frame decoder.

Axes: B lines, n phones (no blanks), f frames of 256 samples, F = f/2 frames of 512 samples.
"""

import torch
from advice import VALUES
from cast import CAST
from symbols import SYMBOLS
from torch import Tensor, nn
from torch.nn import functional

STATES = 5
WIDTH = 192
HEADS = 4
INNER = 384
LAYERS = 3
STATE_WIDTH = 64
FEATURES = 6
DECODER_WIDTH = 256
DILATIONS = (1, 2, 1, 2)
FINDER_WIDTH, FINDER_LAYERS = 192, 3
ROLE_WIDTH = 48
CHANNELS = 37  # 35 mel-cepstra, log F0, voicing
TONES = 12
REACH = 5  # taps of every convolution
LONGEST = 120.0  # durations beyond this many 5 ms frames look alike to the decoder


def silent(layer: nn.Linear) -> nn.Linear:
    """The layer with weights that are zero at first, so that it can be added to a network that has learned without it."""
    nn.init.zeros_(layer.weight)
    return layer


class Block(nn.Module):
    """Residual convolution; who speaks moves what its inner units answer to, and scales what they say."""

    def __init__(self, width: int, inner: int, dilation: int = 1, role: bool = True) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.conv = nn.Conv1d(width, inner, REACH, padding=REACH // 2 * dilation, dilation=dilation)
        self.role, self.scale = (silent(nn.Linear(ROLE_WIDTH, inner, bias=False)) if role else None for _ in range(2))
        self.back = nn.Linear(inner, width)

    def forward(self, x: Tensor, real: Tensor, role: Tensor | None = None) -> Tensor:
        """Shapes: x (B, rows, width), real (B, rows, 1), role (B, ROLE_WIDTH)."""
        hidden = self.conv((self.norm(x) * real).transpose(1, 2)).transpose(1, 2)
        if self.role is None or self.scale is None:
            return x + self.back(functional.relu(hidden))
        return x + self.back(functional.relu(hidden + self.role(role)[:, None]) * (1 + self.scale(role)[:, None]))


class Finder(nn.Module):
    """What phones and tones tell only in part: where accent phrases begin, which vowels have no voice, and what words these are."""

    def __init__(self, classes: int) -> None:
        super().__init__()
        self.phone, self.tone = nn.Embedding(len(SYMBOLS), FINDER_WIDTH), nn.Embedding(TONES, FINDER_WIDTH)
        self.features = nn.Linear(1024, FINDER_WIDTH)
        self.layers = nn.ModuleList(Block(FINDER_WIDTH, FINDER_WIDTH, role=False) for _ in range(FINDER_LAYERS))
        self.norm = nn.LayerNorm(FINDER_WIDTH)
        self.marks = nn.Linear(FINDER_WIDTH, 2)
        self.words = nn.Linear(FINDER_WIDTH, 3 * classes)

    def forward(self, phones: Tensor, tones: Tensor, features: Tensor, real: Tensor) -> tuple[Tensor, Tensor]:
        """From phones, tones, real (B, n); features (B, n, 1024) → logits of phrase and voicelessness (B, n, 2), of words (B, n, 3, classes)."""
        x = self.phone(phones) + self.tone(tones) + self.features(features)
        for layer in self.layers:
            x = layer(x, real[..., None])
        x = self.norm(x)
        return self.marks(x).float(), self.words(x).float().unflatten(-1, (3, -1))


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
        self.norm, self.attention = nn.LayerNorm(WIDTH), Attention()
        self.block = Block(WIDTH, INNER)

    def forward(self, x: Tensor, distance: Tensor, padding: Tensor, real: Tensor, role: Tensor) -> Tensor:
        """As `Attention.forward`; real (B, n, 1) is 1 where there is a phone."""
        x = x + self.attention(self.norm(x), distance, padding)
        return self.block(x, real, role)


class Prosody(nn.Module):
    """Phones, tones, what the trees say, and role to state durations and state vectors. What is learned is added to what the trees say."""

    def __init__(self) -> None:
        super().__init__()
        self.phone, self.tone = nn.Embedding(len(SYMBOLS), WIDTH), nn.Embedding(TONES, WIDTH)
        self.values = nn.Linear(STATES * VALUES, WIDTH)
        self.lengths = nn.Linear(STATES, WIDTH, bias=False)
        self.role = nn.Linear(ROLE_WIDTH, WIDTH, bias=False)
        self.layers = nn.ModuleList(EncoderLayer() for _ in range(LAYERS))
        self.norm = nn.LayerNorm(WIDTH)
        self.durations = silent(nn.Linear(WIDTH, STATES))
        self.states = silent(nn.Linear(WIDTH, STATES * STATE_WIDTH))
        self.direct = nn.Linear(VALUES, STATE_WIDTH, bias=False)
        nn.init.eye_(self.direct.weight)

    def forward(self, phones: Tensor, tones: Tensor, values: Tensor, lengths: Tensor, role: Tensor, real: Tensor) -> tuple[Tensor, Tensor]:
        """From phones, tones, real (B, n); values (B, n, 5, VALUES); lengths (B, n, 5), log1p of 5 ms frames → lengths alike, vectors (B, n, 5, 64)."""
        x = self.phone(phones) + self.tone(tones) + self.values(values.flatten(2)) + self.lengths(lengths) + self.role(role)[:, None]
        places = torch.arange(phones.shape[1], dtype=torch.float32)
        distance = places[:, None] - places[None]
        padding = (real[:, None, None] - 1) * 1e4
        for layer in self.layers:
            x = layer(x, distance, padding, real[..., None], role)
        x = self.norm(x)
        return lengths + self.durations(x).float(), self.direct(values) + self.states(x).unflatten(-1, (STATES, STATE_WIDTH))


class Frames(nn.Module):
    """State vectors and positions, two frames of 256 samples at a time, to normalised vocoder parameters."""

    def __init__(self) -> None:
        super().__init__()
        self.enter = nn.Linear(2 * (STATE_WIDTH + FEATURES), DECODER_WIDTH)
        self.blocks = nn.ModuleList(Block(DECODER_WIDTH, DECODER_WIDTH, dilation) for dilation in DILATIONS)
        self.norm = nn.LayerNorm(DECODER_WIDTH)
        self.leave = nn.Linear(DECODER_WIDTH, 2 * CHANNELS)
        self.direct = nn.Linear(STATE_WIDTH, CHANNELS, bias=False)  # the mean of a state, so that the blocks only smooth

    def forward(self, vectors: Tensor, positions: Tensor, role: Tensor, real: Tensor) -> Tensor:
        """From vectors (B, f, 64), positions (B, f, 6), role (B, ROLE_WIDTH), real (B, f/2) → (B, f, 37)."""
        batch, count, _ = vectors.shape
        x = self.enter(torch.cat([vectors, positions.to(vectors.dtype)], -1).reshape(batch, count // 2, -1))
        for block in self.blocks:
            x = block(x, real[..., None], role)
        with torch.autocast("cpu", enabled=False):
            smoothed = self.leave(self.norm(x.float())).reshape(batch, count, CHANNELS)
            return smoothed + self.direct(vectors.float())


class Student(nn.Module):
    """Both halves. The first learns from the means of states, cheaply; then both learn together, joined by the teacher's timing."""

    def __init__(self) -> None:
        super().__init__()
        self.role = nn.Embedding(len(CAST), ROLE_WIDTH)
        self.prosody, self.frames = Prosody(), Frames()

    def states(self, batch: dict[str, Tensor]) -> tuple[Tensor, Tensor]:
        """Log state durations (B, n, 5) and the normalised parameters (B, n, 5, 37) that a whole state has in the mean."""
        durations, states = self._prosody(batch, self.role(batch["role"]))
        with torch.autocast("cpu", enabled=False):
            return durations, self.frames.direct(states.float())

    def _prosody(self, batch: dict[str, Tensor], role: Tensor) -> tuple[Tensor, Tensor]:
        return self.prosody(*(batch[name] for name in ("phones", "tones", "values", "lengths")), role, batch["real_phones"])

    def forward(self, batch: dict[str, Tensor]) -> tuple[Tensor, Tensor]:
        """Log state durations (B, n, 5) and normalised parameters (B, f, 37)."""
        role = self.role(batch["role"])
        durations, states = self._prosody(batch, role)
        vectors = functional.embedding(batch["state_of_frame"], states.reshape(-1, STATE_WIDTH))
        return durations, self.frames(vectors, batch["positions"], role, batch["real_frames"])
