"""The names and colours of the pipeline's stages in the latency dock, the status line, the lab and the pictures of `koebako bench`; colours are #rrggbb."""

from app.common.language import localize

STAGE_LABELS = {
    "text": ("前処理", "Text"),
    "g2p": ("読み", "Reading"),
    "tokenize": ("トークン化", "Tokenise"),
    "bert": ("BERT", "BERT"),
    "expand": ("展開", "Expand"),
    "prosody": ("韻律", "Prosody"),
    "flow": ("フロー", "Flow"),
    "decode": ("デコード", "Decode"),
    "synthesis": ("合成", "Synthesis"),
    "pitch": ("音高", "Pitch"),
    "audio": ("音声", "Audio"),
}
STAGE_OF_GRAPH = {"decoder": "decode", "whole": "synthesis"}  # where a graph is called otherwise than its stage


def find_stage_label(stage: str) -> str:
    """Return the name of a pipeline stage."""
    return localize(*STAGE_LABELS[stage])


STAGE_COLORS_ON_LIGHT = {
    "text": "#8a94a3",
    "g2p": "#3b82d6",
    "tokenize": "#1fa3a0",
    "bert": "#6a5bd8",
    "expand": "#a77bdc",
    "prosody": "#d99412",
    "flow": "#e06a35",
    "decode": "#d1456b",
    "synthesis": "#d1456b",
    "pitch": "#b93fb5",
    "audio": "#5aa83e",
}
STAGE_COLORS_ON_DARK = {
    "text": "#94a0b0",
    "g2p": "#5aa2ef",
    "tokenize": "#3fc1bd",
    "bert": "#9083f5",
    "expand": "#c19cf0",
    "prosody": "#eeb345",
    "flow": "#f2875a",
    "decode": "#ec6d90",
    "synthesis": "#ec6d90",
    "pitch": "#e07fdc",
    "audio": "#7fcb62",
}
