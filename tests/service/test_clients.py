"""Programs that others wrote for VOICEVOX and OpenAI, as their registries have them, in processes of their own."""

import importlib.util
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import httpx
import numpy as np
import pytest
import soundfile

from tests.pitch_measures import pitch_of

NODE_PACKAGES = ("voicevox-api-client@1.1.1", "@kajidog/voicevox-client@0.2.0")


def run(command: list[str], script: str, folder: Path, name: str) -> str:
    file = folder / name
    file.write_text(textwrap.dedent(script), "utf-8")
    done = subprocess.run([*command, str(file)], capture_output=True, text=True, encoding="utf-8", timeout=120, cwd=folder)
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout.strip()


def fetched(command: list[str]) -> None:
    """Packages of a registry; skips where they cannot be had."""
    try:
        subprocess.run(command, capture_output=True, timeout=120, check=True)
    except (subprocess.SubprocessError, OSError):
        pytest.skip(f"not to be had here: {' '.join(command[-2:])}")


def test_voicevox_client_1(url: str, style: int, tmp_path: Path) -> None:
    if importlib.util.find_spec("vvclient") is None:
        pytest.skip("voicevox-client 1 is not installed")
    script = f"""
        import asyncio
        from vvclient import Client

        async def main():
            async with Client("{url}") as client:
                await client.init_speaker({style}, skip_reinit=True)
                assert await client.is_inited_speaker({style}) is True
                query = await client.create_audio_query("こんにちは、世界。", {style})
                query.data["speedScale"] = 1.2
                sound = await query.synthesis({style})
                print(await client.fetch_engine_version(), (await client.fetch_core_versions())[0], sound[:4].decode(), len(sound))
                for phrase in query.data["accent_phrases"]:
                    for mora in phrase["moras"]:
                        mora["pitch"] += 0.3
                for name, content in (("plain", sound), ("higher", await query.synthesis({style}))):
                    with open(name + ".wav", "wb") as file:
                        file.write(content)

        asyncio.run(main())
    """
    assert " RIFF " in run([sys.executable], script, tmp_path, "client.py")
    plain, higher = (soundfile.read(tmp_path / f"{name}.wav", dtype="float32") for name in ("plain", "higher"))
    ratio = pitch_of(higher[0], higher[1]) / pitch_of(plain[0], plain[1])
    assert np.log(np.nanmedian(ratio)) == pytest.approx(0.3, abs=0.02)


@pytest.mark.slow  # fetches an older release
def test_voicevox_client_0_4(url: str, style: int, tmp_path: Path) -> None:
    folder = tmp_path / "packages"
    fetched([sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", str(folder), "voicevox-client==0.4.1"])
    script = f"""
        import asyncio, sys
        sys.path.insert(0, {str(folder)!r})
        from voicevox import Client
        from voicevox.errors import HttpException, NotfoundError

        async def main():
            async with Client("{url}", timeout=30) as client:
                speakers = await client.fetch_speakers()
                info = await client.fetch_speaker_info(speakers[0].uuid)
                devices = await client.check_devices()
                await client.init_speaker({style})
                assert await client.check_inited_speaker({style})
                query = await client.create_audio_query("こんにちは、世界。", {style})
                query.speed_scale = 1.1
                assert query.kana == "こんにちは、世界。"
                sound = await query.synthesis(speaker={style})
                archive = await client.multi_synthesis([query, query], {style})
                try:
                    await client.create_audio_query("あ", 1)
                except HttpException as error:
                    print("refused")
                try:
                    await client.fetch_speaker_info("x")
                except NotfoundError as error:
                    print("missing")
                print(sound[:4].decode(), archive[:2].decode(), devices.cpu, info.policy != "")

        asyncio.run(main())
    """
    assert run([sys.executable], script, tmp_path, "client.py").split() == ["refused", "missing", "RIFF", "PK", "True", "True"]


def test_openai(url: str, tmp_path: Path) -> None:
    if importlib.util.find_spec("openai") is None:
        pytest.skip("openai is not installed")
    script = f"""
        from base64 import b64decode

        from httpx_sse import EventSource
        from openai import BadRequestError, OpenAI

        client = OpenAI(base_url="{url}/v1", api_key="none")
        for form in ("mp3", "wav", "flac", "opus", "pcm"):
            sound = client.audio.speech.create(model="koebako", voice="Mei/Happy", input="こんにちは。", response_format=form, speed=1.25)
            print(form, len(sound.content))
        with client.audio.speech.with_streaming_response.create(model="koebako", voice="Mei", input="はい。", response_format="wav") as answer:
            answer.stream_to_file("speech.wav")
        for form in ("wav", "mp3"):
            options = dict(model="koebako", voice="Mei", input="こんにちは。はい。", response_format=form)
            whole = client.audio.speech.create(**options).content
            with client.audio.speech.with_streaming_response.create(**options, stream_format="sse") as answer:
                events = [event.json() for event in EventSource(answer.http_response).iter_sse()]
            kinds = [event["type"] for event in events]
            assert kinds[:-1] == ["speech.audio.delta"] * (len(events) - 1) and len(events) > 1, kinds
            assert kinds[-1] == "speech.audio.done" and events[-1]["usage"]["total_tokens"] == 9, events[-1]
            assert b"".join(b64decode(event["audio"]) for event in events[:-1]) == whole
        try:
            client.audio.speech.create(model="koebako", voice="nobody", input="はい。")
        except BadRequestError as error:
            print("refused", error.body["message"])
        print([model.id for model in client.models.list()])
    """
    output = run([sys.executable], script, tmp_path, "client.py").splitlines()
    assert [line.split()[0] for line in output[:5]] == ["mp3", "wav", "flac", "opus", "pcm"]
    assert "Tohoku f01" in output[5]
    assert (tmp_path / "speech.wav").read_bytes().startswith(b"RIFF")


@pytest.mark.slow  # fetches packages
def test_clients_of_node(url: str, style: int, tmp_path: Path) -> None:
    node, npm = shutil.which("node"), shutil.which("npm")
    if node is None or npm is None:
        pytest.skip("Node is not installed")
    fetched([npm, "install", "--silent", "--no-audit", "--no-fund", "--prefix", str(tmp_path), *NODE_PACKAGES])
    script = f"""
        import {{ createRequire }} from "module";
        const require = createRequire(import.meta.url);
        const {{ VoicevoxApi }} = require("./node_modules/@kajidog/voicevox-client/dist/api.js");
        const other = await import("./node_modules/voicevox-api-client/dist/esm/index.mjs");
        const localhost = "{url}".replace("127.0.0.1", "localhost");
        for (const url of ["{url}", localhost]) {{
            const api = new VoicevoxApi(url);
            const query = await api.generateQuery("こんにちは、世界。", {style});
            const sound = await api.synthesize(query, {style});
            const speakers = await api.getSpeakers();
            const info = await api.getSpeakerInfo(speakers[0].speaker_uuid);
            console.log(sound.byteLength > 20000, info.style_infos.length);
        }}
        const client = new other.Client("{url}");
        const query = await client.query.createQuery({style}, "こんにちは、世界。");
        const sound = await client.voice.createVoice({style}, query);
        const joined = await client.other.margeWav([Buffer.from(sound).toString("base64"), Buffer.from(sound).toString("base64")]);
        const archive = await client.voice.createVoiceMulti({style}, [query]);
        const cancellable = await client.voice.createVoiceCancellable({style}, query);
        console.log(joined.byteLength === 2 * sound.byteLength - 44, archive.byteLength > 20000, cancellable.status);
    """
    lines = run([node], script, tmp_path, "client.mjs").splitlines()
    assert lines == ["true 5", "true 5", "true true 200"]


def test_a_client_that_knows_curl_only(url: str, style: int, tmp_path: Path) -> None:
    """The five lines of the help page, with an empty body and a body without a type."""
    made = httpx.post(
        f"{url}/audio_query", params={"text": "はい。", "speaker": style}, headers={"Content-Type": "application/json"}, content=b""
    )
    sound = httpx.post(f"{url}/synthesis", params={"speaker": style}, content=made.content)
    assert sound.content.startswith(b"RIFF")
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    assert httpx.post(f"{url}/synthesis", params={"speaker": style}, content=made.content, headers=form).content == sound.content
