"""Makes projects as VOICEVOX and AivisSpeech write them, in each of their forms, from what is publicly known of these forms."""

import json
from typing import Any

VOICEVOX, AIVISSPEECH = "074fc39e-678b-4c13-8916-ffca8d505d1d", "1b4a5014-d9fd-11ee-b97d-83c170a68ed3"
VERSIONS = ("0.3.1", "0.6.0", "0.7.5", "0.13.0", "0.14.3", "0.16.0", "0.19.2", "0.25.1", "999.999.999")
AISP_VERSIONS = ("1.0.0", "1.1.0-preview.1", "1.2.0")


def mora(text: str, vowel: str, length: float = 0.1, pitch: float = 5.5) -> dict[str, Any]:
    """One mora."""
    return {"text": text, "vowel": vowel, "vowelLength": length, "pitch": pitch}


def phrase(kana: list[str], accent: int, pause_s: float | None = None, length: float = 0.1, pitch: float = 5.5) -> dict[str, Any]:
    """An accent phrase; vowels are not looked at by readers that know kana."""
    made: dict[str, Any] = {"moras": [mora(one, "a", length, pitch) for one in kana], "accent": accent, "isInterrogative": False}
    return made if pause_s is None else made | {"pauseMora": mora("、", "pau", pause_s, 0.0)}


def query(*phrases: dict[str, Any], **numbers: float) -> dict[str, Any]:
    """An audio query with the numbers that nobody has changed."""
    plain = {"speedScale": 1.0, "pitchScale": 0.0, "intonationScale": 1.0, "volumeScale": 1.0}
    plain |= {"prePhonemeLength": 0.1, "postPhonemeLength": 0.1}
    return {"accentPhrases": list(phrases), **plain, **numbers, "outputSamplingRate": 24000, "outputStereo": False}


def vvproj(version: str, lines: list[tuple[str, int, dict[str, Any] | None]], engine: str = VOICEVOX, **more: Any) -> bytes:
    """A project of (text, style id, query), as this version of VOICEVOX would say it."""
    parts = tuple(int(part) for part in version.split("-")[0].split("."))
    keys = [f"key-{number}" for number in range(len(lines))]
    items = {}
    for key, (text, style, asked) in zip(keys, lines, strict=True):
        item: dict[str, Any] = {"text": text} | _who(parts, style, engine)
        items[key] = item if asked is None else item | {"query": asked}
    talk = {"audioKeys": keys, "audioItems": items}
    body: dict[str, Any] = {"talk": talk, "song": {"tracks": {}, "trackOrder": []}} if parts >= (0, 17) else talk
    return json.dumps({"appVersion": version} | body | more, ensure_ascii=False).encode()


def aisp(version: str, lines: list[tuple[str, int, dict[str, Any] | None]]) -> bytes:
    """The same as AivisSpeech would say it."""
    data = json.loads(vvproj("0.20.0", lines, AIVISSPEECH))
    if version.startswith("1.0"):
        data |= data.pop("talk")
        data.pop("song")
    return json.dumps(data | {"appVersion": version}, ensure_ascii=False).encode()


def _who(version: tuple[int, ...], style: int, engine: str) -> dict[str, Any]:
    if version < (0, 4):
        return {"charactorIndex": style}
    if version < (0, 7):
        return {"characterIndex": style}
    if version < (0, 8):
        return {"speaker": style}
    if version < (0, 14):
        return {"styleId": style}
    if version < (0, 15):
        return {"engineId": engine, "styleId": style}
    return {"voice": {"engineId": engine, "speakerId": "7ffcb7ce-00ec-4bdc-82cd-45a8889e43ff", "styleId": style}}
