"""The colours of the stages, as #rrggbb, on light and on dark ground: in the latency dock, the lab and the pictures of `koebako bench`."""

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
