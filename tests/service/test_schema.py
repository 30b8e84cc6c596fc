"""Routes and answers beside the interface that VOICEVOX publishes."""

import json
from pathlib import Path
from typing import Any, cast

import httpx
import pytest

from app.core.synthesis_types import BOUNDS
from app.service.http_service import HttpService
from app.service.openapi_document import DESCRIBED_ROUTES, build_openapi
from app.service.routes_about import build_about_routes, build_dictionary_routes, build_preset_routes
from app.service.routes_own import build_own_routes
from app.service.routes_query import build_query_routes, build_sound_routes

# Pictures under addresses that other answers give, and what is refused with a sentence: singing and morphing.
UNDESCRIBED = {
    "/_resources/{name}", "/frame_synthesis", "/morphable_targets", "/sing_frame_audio_query", "/sing_frame_f0", "/sing_frame_volume",
    "/singer_info", "/synthesis_morphing",
}  # fmt: skip
ABSENT = {
    "/downloadable_libraries",
    "/installed_libraries",
    "/install_library/{library_uuid}",
    "/uninstall_library/{library_uuid}",
    "/setting",
}


@pytest.fixture(scope="module")
def reference(shared: Path) -> Path:
    """The engine's OpenAPI and example answers."""
    return shared / "reference/voicevox"


@pytest.fixture(scope="module")
def theirs(reference: Path) -> dict[str, Any]:
    return json.loads((reference / "openapi.json").read_text("utf-8"))


def check(value: Any, schema: dict[str, Any], whole: dict[str, Any], place: str = "") -> None:
    """Whether a value has the form that a schema gives it; optional fields may be null, which clients are sent."""
    if "$ref" in schema:
        schema = whole["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
    if "anyOf" in schema:
        if value is not None:
            check(value, schema["anyOf"][0], whole, place)
        return
    kinds: dict[str, Any] = {"object": dict, "array": list, "string": str, "integer": int, "number": (int, float), "boolean": bool}
    if schema.get("type") in kinds:
        assert isinstance(value, kinds[schema["type"]]), f"{place}: {value!r} is no {schema['type']}"
        assert schema["type"] == "boolean" or not isinstance(value, bool), place
    if "enum" in schema:
        assert value in schema["enum"], place
    for index, item in enumerate(value if isinstance(value, list) else ()):
        check(item, schema.get("items", {}), whole, f"{place}[{index}]")
    if isinstance(value, dict):
        assert set(schema.get("required", ())) <= value.keys(), f"{place}: {set(schema.get('required', ())) - value.keys()} missing"
        for name, item in value.items():
            inner = schema.get("properties", {}).get(name, schema.get("additionalProperties", {}))
            if item is not None or name in schema.get("required", ()):
                check(item, inner if isinstance(inner, dict) else {}, whole, f"{place}.{name}")


def test_answers_have_their_form(client: httpx.Client, style: int, theirs: dict[str, Any], reference: Path) -> None:
    params = {"speaker": style}
    speaker = client.get("/speakers").json()[0]["speaker_uuid"]
    word: dict[str, str | int] = {"surface": "声箱", "pronunciation": "コエバコ", "accent_type": 0}
    client.post("/user_dict_word", params=word)
    query = client.post("/audio_query", params=params | {"text": "テスト、です。"})
    preset = json.loads((reference / "get_presets_200.json").read_text("utf-8"))[0] | {"style_id": style}
    number = client.post("/add_preset", json=preset)
    phrases = query.json()["accent_phrases"]
    answers = {
        ("post", "/audio_query"): query,
        ("post", "/add_preset"): number,
        ("post", "/audio_query_from_preset"): client.post("/audio_query_from_preset", params={"text": "はい", "preset_id": number.json()}),
        ("post", "/accent_phrases"): client.post("/accent_phrases", params=params | {"text": "テスト"}),
        ("post", "/mora_data"): client.post("/mora_data", params=params, json=phrases),
        ("post", "/validate_kana"): client.post("/validate_kana", params={"text": "テ'スト"}),
        ("get", "/speaker_info"): client.get("/speaker_info", params={"speaker_uuid": speaker}),
        ("get", "/is_initialized_speaker"): client.get("/is_initialized_speaker", params=params),
    }
    plain = ("speakers", "singers", "version", "core_versions", "engine_manifest", "supported_devices", "presets", "user_dict")
    answers |= {("get", f"/{name}"): client.get(f"/{name}") for name in plain}
    for (method, path), answer in answers.items():
        schema = theirs["paths"][path][method]["responses"]["200"]["content"]["application/json"]["schema"]
        assert answer.status_code == 200, path
        check(answer.json(), schema, theirs, path)


def test_their_examples_are_understood(client: httpx.Client, style: int, reference: Path) -> None:
    """A query that their engine made is spoken, with its lengths; errors have the same names."""
    query = json.loads((reference / "post_audio_query_200.json").read_text("utf-8"))
    sound = client.post("/synthesis", params={"speaker": style}, json=query)
    moras = query["accent_phrases"][0]["moras"]
    inner = sum(mora["vowel_length"] + mora["consonant_length"] for mora in moras)
    assert (len(sound.content) - 44) / 2 / 24000 == pytest.approx(inner + 0.2, abs=512 / 44100)
    kana = client.post("/accent_phrases", params={"speaker": style, "text": query["kana"], "is_kana": True}).json()
    assert [mora["vowel"] for mora in kana[0]["moras"]] == [mora["vowel"] for mora in moras]
    expected = json.loads((reference / "post_validate_kana_400.json").read_text("utf-8"))["detail"]
    told = client.post("/validate_kana", params={"text": expected["error_args"]["text"]})
    assert told.status_code == 400
    assert told.json()["detail"] | {"text": expected["text"]} == expected
    missing = json.loads((reference / "post_add_preset_422.json").read_text("utf-8"))["detail"]
    given = {"id": 1, "name": "a", "speaker_uuid": "1", "speedScale": "a", "pitchScale": 0, "intonationScale": 1, "volumeScale": None}
    given |= {"prePhonemeLength": 1, "postPhonemeLength": 1}
    wrong = client.post("/add_preset", json=given).json()["detail"]
    assert sorted(entry["loc"][-1] for entry in wrong) == sorted(entry["loc"][-1] for entry in missing)


def test_our_description_has_their_routes(client: httpx.Client, theirs: dict[str, Any]) -> None:
    """Each with the parameters that it needs, and no other that must be given."""
    ours = client.get("/openapi.json").json()
    unsupported = {path for path in theirs["paths"] if "sing" in path or "morph" in path or path in ("/", "/frame_synthesis")}
    for path, methods in theirs["paths"].items():
        if path in ABSENT | unsupported:
            continue
        for method, operation in methods.items():
            known = {item["name"] for item in operation.get("parameters", ()) if item["required"]}
            found = {item["name"] for item in ours["paths"][path][method]["parameters"] if item["required"]}
            assert known == found, path
    for name in ("Mora", "AccentPhrase", "AudioQuery", "Preset", "Speaker"):
        own, other = ours["components"]["schemas"][name], theirs["components"]["schemas"][name]
        assert set(own["required"]) == set(other["required"]), name
        assert other["properties"].keys() <= own["properties"].keys(), name


def test_every_route_is_described() -> None:
    """A route without a description would be missing from `/docs`, one without a handler would be announced and not there."""
    makers = (build_query_routes, build_sound_routes, build_about_routes, build_preset_routes, build_dictionary_routes, build_own_routes)
    unused = cast(HttpService, None)  # handlers take it only when they answer
    routes = {route.path for make in makers for route in make(unused)}
    assert routes - {route.path for route in DESCRIBED_ROUTES} == UNDESCRIBED
    assert {route.path for route in DESCRIBED_ROUTES} <= routes


def test_numbers_of_own_routes_are_described_with_their_bounds() -> None:
    schemas = build_openapi()["components"]["schemas"]
    described = schemas["SpeakRequest"]["properties"]
    for name, bounds in BOUNDS.items():
        assert (described[name]["minimum"], described[name]["maximum"], described[name]["default"]) == (
            bounds.low,
            bounds.high,
            bounds.default,
        )
    assert schemas["SpeechRequest"]["properties"]["stream_format"]["enum"] == ["audio", "sse"]


def test_texts_of_own_routes_are_as_long_as_described(client: httpx.Client) -> None:
    schemas = build_openapi()["components"]["schemas"]
    for path, name, field in (("/v1/timings", "SpeakRequest", "text"), ("/v1/audio/speech", "SpeechRequest", "input")):
        length = schemas[name]["properties"][field]["maxLength"]
        refused = client.post(path, json={field: "。" * (length + 1)})
        assert (refused.status_code in (400, 422), f"at most {length} characters" in refused.text) == (True, True)
    names = schemas["SpeechRequest"]["properties"]["voice"]["maxLength"]
    assert f"at most {names} characters" in client.post("/v1/audio/speech", json={"input": "。", "voice": "a" * (names + 1)}).text


def test_answers_of_own_routes_are_described(client: httpx.Client) -> None:
    whole = build_openapi()

    def describe(path: str, method: str = "post") -> dict[str, Any]:
        return whole["paths"][path][method]["responses"]["200"]["content"]

    schema = whole["components"]["schemas"]["SpeechRequest"]["properties"]
    bodies = [{"input": "はい。", "response_format": form} for form in schema["response_format"]["enum"]]
    bodies += [{"input": "はい。", "stream_format": form} for form in schema["stream_format"]["enum"]]
    types = {client.post("/v1/audio/speech", json=body).headers["content-type"].partition(";")[0] for body in bodies}
    assert types == set(describe("/v1/audio/speech"))
    for path, method, body in (
        ("/v1/timings", "post", {"text": "はい。いいえ。"}),
        ("/v1/models", "get", None),
        ("/v1/audio/models", "get", None),
        ("/v1/audio/voices/", "get", None),
    ):
        answer = client.request(method, path, json=body).json()
        reference = describe(path.rstrip("/"), method)["application/json"]["schema"]
        properties = whole["components"]["schemas"][reference["$ref"].rpartition("/")[2]]["properties"]
        check(answer, reference, whole)
        assert set(answer) == set(properties)
