"""The words that come with the natural voice: its speakers, its licence and what it is."""

from __future__ import annotations

NATURAL_VOICE_SPEAKERS = ("Female 1", "Female 2", "Female 3", "Female 4", "Male 1")
"""In the order of the style vectors: jf_alpha, jf_gongitsune, jf_nezumi, jf_tebukuro, jm_kumo."""

NATURAL_VOICE_DESCRIPTION = "Kokoro-82M with Koebako's own accents: a natural voice with five speakers, off line."

NATURAL_VOICE_LICENCE = (
    "Apache License 2.0. Kokoro-82M by hexgrad, https://huggingface.co/hexgrad/Kokoro-82M, Apache-2.0; ONNX export by thewh1teagle, "
    "https://github.com/thewh1teagle/kokoro-onnx, MIT. Changes were made: the weights were put into graphs of Koebako's own that take the "
    "pitch as an input. Female 2, 3, 4 and Male 1 derive from readings of Television Nishinippon (テレビ西日本) in the Koniwa corpus, "
    "https://github.com/koniwa/koniwa, CC BY 3.0, https://creativecommons.org/licenses/by/3.0/: tnc__gongitsune, tnc__nezuminoyomeiri, "
    "tnc__tebukurowokaini, tnc__kumonoito; changes were made. No source is listed for Female 1 (jf_alpha)."
)
