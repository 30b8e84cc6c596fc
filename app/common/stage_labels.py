"""The names of the pipeline's stages in the latency table, the status line and the lab."""

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
