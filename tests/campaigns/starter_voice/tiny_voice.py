"""A tiny `.htsvoice`: two questions, durations in three leaves, mel-cepstra in one a state, log F0 in two."""

from pathlib import Path

import numpy as np

QUESTIONS = 'QS C-Vowel {{ {question} }}\nQS C-Near {{ "*/A:-?+*","*/A:-12+*","*/A:0+*","*/A:1+*","*/A:2+*","*/A:3+*" }}\n'
DURATIONS = '{*}[2]\n{\n 0 C-Vowel -1 "dur_s2_1"\n -1 C-Near "dur_s2_3" "dur_s2_2"\n}\n'
PITCH = '{{*}}[{state}]\n{{\n 0 C-Near "lf0_s{state}_1" "lf0_s{state}_2"\n}}\n'
SPECTRUM = '{{*}}[{state}]\n"mcp_s{state}_1"\n'


def write_voice(path: Path, seed: int, question: str = '"*-a+*","*-i+*"') -> None:
    """Leaves with drawn means, and variances above 0."""
    dice = np.random.default_rng(seed)

    def table(leaves: list[int], means: int, extra: int = 0) -> bytes:
        rows = [
            dice.uniform(1, 9, (sum(leaves), means)),
            dice.uniform(0.5, 2, (sum(leaves), means)),
            dice.uniform(0, 1, (sum(leaves), extra)),
        ]
        return np.array(leaves, np.uint32).tobytes() + np.concatenate(rows, 1).astype(np.float32).tobytes()

    questions = QUESTIONS.format(question=question)
    states = range(2, 7)
    parts = {
        "DURATION_PDF": table([3], 5),
        "DURATION_TREE": (questions + DURATIONS).encode(),
        "STREAM_PDF[MCP]": table([1] * 5, 105),
        "STREAM_PDF[LF0]": table([2] * 5, 3, 1),
        "STREAM_TREE[MCP]": (questions + "".join(SPECTRUM.format(state=state) for state in states)).encode(),
        "STREAM_TREE[LF0]": (questions + "".join(PITCH.format(state=state) for state in states)).encode(),
    }
    head, place = "[GLOBAL]\nNUM_STATES:5\n[POSITION]\n", 0
    for name, part in parts.items():
        head += f"{name}:{place}-{place + len(part) - 1}\n"
        place += len(part)
    path.write_bytes(head.encode() + b"[DATA]\n" + b"".join(parts.values()))
