"""In which precision a BERT and the graphs of a voice run. A BERT runs in int8 where it is known to change no durations, else the exact one.

Whether it does is measured when a BERT or a voice is added (`app.install.duration_check`), for it takes seconds, and remembered in the
cache. Where nothing is known, the exact graph runs.
"""

from collections.abc import Mapping
from dataclasses import replace

from app.settings.user_settings import GraphPrecision, PrecisionChoice
from app.voices.bert_models import BertModel, BertPrecision
from app.voices.file_fact_cache import FileFactCache
from app.voices.int8_result import MIN_FRAMES_EQUAL
from app.voices.prepared_voice import GraphSources, Voice, map_int8_files

PRECISION_CACHE_NAME = "precision.json"


def choose_bert_precision(voice: Voice, bert: BertModel, wanted: PrecisionChoice, backend: str) -> BertPrecision:
    """Return the precision to open a BERT in.

    Args:
        wanted: "auto" takes int8 on the CPU, elsewhere it is no faster, when this voice is known to speak the same with it. "int8" takes it where there is one.
    """
    if "int8" not in bert.graphs or wanted == "float32":
        return "float32"
    if wanted == "int8":
        return "int8"
    share = find_equal_duration_share(voice, bert) if backend in ("auto", "cpu") else None
    return "int8" if share is not None and share >= MIN_FRAMES_EQUAL else "float32"


def apply_graph_precision(voice: Voice, wanted: GraphPrecision, backends: Mapping[str, str]) -> Voice:
    """Return the voice with the graphs to open: "fast" takes its int8 graphs, for the CPU only. Nothing takes them unasked: they are faster, and it is another sound."""
    if wanted != "fast":
        return voice
    files = {
        name: voice.path / file for name, file in map_int8_files(voice.manifest).items() if backends.get(name, "cpu") in ("auto", "cpu")
    }
    fitting: GraphSources = {name: file for name, file in files.items() if file.is_file()}
    return replace(voice, graphs=voice.graphs | fitting)


def find_equal_duration_share(voice: Voice, bert: BertModel) -> float | None:
    """Return the share of symbols that keep their length in int8, or None if it was not measured yet."""
    shares = FileFactCache(PRECISION_CACHE_NAME).find_value(bert.graphs["int8"])
    share = shares.get(_build_cache_key(voice)) if isinstance(shares, dict) else None
    return share if isinstance(share, float) and 0 <= share <= 1 else None


def remember_equal_duration_share(voice: Voice, bert: BertModel, share: float) -> None:
    """Keep a measured share until the voice or the BERT changes."""
    cache = FileFactCache(PRECISION_CACHE_NAME)
    shares = cache.find_value(bert.graphs["int8"])
    cache.store_value(bert.graphs["int8"], (shares if isinstance(shares, dict) else {}) | {_build_cache_key(voice): float(share)})
    cache.save_cache()


def _build_cache_key(voice: Voice) -> str:
    """Return a key that changes with the voice's prosody graph, the only graph that sees the features before durations are made."""
    graph = voice.graphs.get("prosody")
    if graph is None or isinstance(graph, bytes):
        return voice.manifest.id
    facts = graph.stat()
    return f"{voice.manifest.id} {facts.st_size} {facts.st_mtime_ns}"
