"""What the faster way to speak of a voice is like, in words: as a whole, part by part, and why a part stays exact."""

from __future__ import annotations

from app.language import by_frontend, localized
from app.voices.fast import ENOUGH_EQUAL, FAST_GRAPHS, LEAST_GAIN, LEAST_SNR_DB, MOST_LSD_DB, Fast, FastGraph, RefusedGraph
from app.voices.manifest import VoiceManifest


def likeness(fast: Fast | FastGraph, *, lengths: bool = True) -> str:
    """How close it comes, and what it gained when the voice was added; `lengths` where it can change those."""
    parts = [
        localized(f"SN 比 {fast.snr_db:.0f} dB", f"signal-to-noise ratio {fast.snr_db:.0f} dB"),
        localized(f"スペクトルの差 {fast.lsd_db:.2f} dB", f"spectral distance {fast.lsd_db:.2f} dB"),
    ]
    if lengths:
        parts.append(localized(f"音の長さの一致率 {fast.frames_equal:.1%}", f"{fast.frames_equal:.1%} of durations unchanged"))
    if fast.gain:
        parts.append(localized(f"約 {fast.gain:.1f} 倍の速さ", f"about {fast.gain:.1f} times as fast"))
    return localized("、", ", ").join(parts)


def fast_parts(manifest: VoiceManifest) -> list[tuple[str, str]]:
    """Name of each part, and what is known of it, the one that takes longest first; nothing of a voice in one graph."""
    known = [name for name in reversed(FAST_GRAPHS) if name in manifest.graphs]
    return [(part_name(name), _part(manifest, name)) for name in known]


def part_name(graph: str) -> str:
    """A graph of a voice."""
    return {
        "prosody": localized("韻律", "Prosody"),
        "flow": localized("フロー", "Flow"),
        "decoder": localized("デコーダー", "Decoder"),
    }[graph]


def why_exact(manifest: VoiceManifest) -> str:
    """Why a voice has no faster way to speak, in a few words; empty where it has one."""
    if manifest.fast is not None:
        return ""
    if manifest.opaque:
        return localized("一体型の声です", "a single graph")
    refused = next((name for name in reversed(FAST_GRAPHS) if name in manifest.refused), None)
    if refused is not None:
        return f"{part_name(refused)}: {refusal(manifest.refused[refused])}"
    if manifest.format == "starter":
        return localized("付属の声は「高精度」だけです", "the included voice is exact only")
    window = localized("「準備し直す」と確認できます", "prepare the voice again to find out")
    return by_frontend(window, localized("voices renew で確認できます", "`voices renew` finds out"))


def refusal(graph: RefusedGraph) -> str:
    """Why a part stays exact, in a few words."""
    match graph.why:
        case "noise":
            return localized(
                f"SN 比 {graph.snr_db or 0:.1f} dB（{LEAST_SNR_DB:.0f} dB 以上が必要）",
                f"signal-to-noise ratio {graph.snr_db or 0:.1f} dB, {LEAST_SNR_DB:.0f} needed",
            )
        case "spectrum":
            return localized(
                f"スペクトルの差 {graph.lsd_db or 0:.2f} dB（{MOST_LSD_DB:g} dB 以下が必要）",
                f"spectral distance {graph.lsd_db or 0:.2f} dB, at most {MOST_LSD_DB:g}",
            )
        case "lengths":
            return localized(
                f"音の長さの一致率 {graph.frames_equal or 0:.2%}（{ENOUGH_EQUAL:.0%} 以上が必要）",
                f"{graph.frames_equal or 0:.2%} of durations unchanged, {ENOUGH_EQUAL:.0%} needed",
            )
        case "slow":
            return localized(
                f"速さ {graph.gain or 0:.2f} 倍（{LEAST_GAIN:g} 倍以上が必要）",
                f"{graph.gain or 0:.2f} times as fast here, {LEAST_GAIN:g} needed",
            )
        case "together":
            return localized("ほかの部分と合わせると基準を満たしません", "misses the limits together with the other parts")
        case "unsuitable":
            return localized("int8 で計算できる部分がありません", "nothing in it can be computed in int8")
        case "failed":
            return localized("int8 では計算できませんでした", "it could not be computed in int8")


def _part(manifest: VoiceManifest, name: str) -> str:
    fast = manifest.fast.graphs.get(name) if manifest.fast is not None else None
    if fast is not None:
        return likeness(fast, lengths=name == "prosody") + ("" if fast.gain else _again())
    if name in manifest.refused:
        return localized(f"高精度のまま。{refusal(manifest.refused[name])}", f"stays exact ({refusal(manifest.refused[name])})")
    return localized("高精度のまま", "stays exact") + _again()


def _again() -> str:
    """An earlier version prepared the voice and did not keep everything."""
    window = localized("（「準備し直す」と詳しく分かります）", " (prepare the voice again to learn more)")
    return by_frontend(window, localized("（voices renew で詳しく分かります）", " (`voices renew` tells more)"))
