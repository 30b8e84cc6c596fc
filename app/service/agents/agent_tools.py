"""The tools of agents: they speak, list voices, read timings and write files.

The voice that an agent chose last is kept by the name under which the agent introduces itself.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from app.adapters.shared_settings import change_settings
from app.adapters.speech_activity import record_at_stages, record_speech
from app.common.errors import AppError, InputError
from app.common.files.untrusted_json import sanitise_short_text
from app.common.language import localize
from app.compose.audio_outputs import open_player, open_sound_file
from app.core.sound.phrase_gate import PhraseGate
from app.core.sound.pipeline import synthesize_or_silence
from app.core.sound.stage_clock import RequestStopped, ignore_cancellation
from app.core.synthesis_types import SynthesisRequest
from app.engine.engine import Engine, JobHandle
from app.engine.synthesis_jobs import Importance, JobTurn
from app.service.agents.agent_folder import AgentFolder, check_file_name
from app.service.agents.agent_session import INVALID_PARAMS, RpcError
from app.service.agents.offered_voices import create_unknown_voice_error
from app.service.agents.project_tools import PROJECT_TOOLS, ProjectTools, ToolHandler
from app.service.agents.tool_arguments import (
    FILE_FORMATS,
    FORMAT_ARGUMENT,
    MAX_CALL_CHARS,
    MAX_EXPORTED_LINES,
    MAX_NAME_CHARS,
    VOICE_ARGUMENTS,
    Schema,
    build_array_schema,
    build_object_schema,
    build_text_schema,
    describe_tool,
    filter_arguments,
)
from app.service.query_synthesizer import QuerySynthesizer
from app.service.request_fields import RefusalError
from app.service.routes_own import build_timings, measure_line
from app.service.style_catalogue import ServedStyle, StyleCatalogue
from app.service.voicevox_query import MAX_QUERY_TEXT, QueryTextMemory
from app.settings.user_settings import MOST_AGENT_VOICES, Settings, load_usable_settings

if TYPE_CHECKING:
    from app.adapters.portaudio.portaudio_player import PortAudioPlayer
    from app.core.sound.pipeline import Pipeline

_SEPARATOR = "="


def find_agent_voice(agent: str) -> str:
    """Return what this agent chose last, or an empty text."""
    return _parse_choices(load_usable_settings().agent_voices).get(_sanitise_name(agent), "")


def remember_agent_voice(agent: str, voice: str) -> None:
    """Remember the choice of an agent; raise OutputFileError."""
    name = _sanitise_name(agent)
    if not name or find_agent_voice(agent) == voice:
        return

    def add_choice(settings: Settings) -> Settings:
        choices = {key: value for key, value in _parse_choices(settings.agent_voices).items() if key != name} | {name: voice}
        lines = tuple(f"{key}{_SEPARATOR}{value}" for key, value in choices.items())
        return replace(settings, agent_voices=lines[-MOST_AGENT_VOICES:])

    change_settings(add_choice)


def _sanitise_name(agent: str) -> str:
    return sanitise_short_text(agent).replace(_SEPARATOR, " ").strip()


def _parse_choices(lines: Sequence[str]) -> dict[str, str]:
    pairs = (line.partition(_SEPARATOR) for line in lines)
    return {name: voice for name, separator, voice in pairs if separator}


_LINE = build_object_schema({"text": build_text_schema(MAX_CALL_CHARS), **VOICE_ARGUMENTS}, "text")
TOOLS: tuple[Schema, ...] = (
    describe_tool(
        "speak",
        "Speak",
        "Speaks Japanese text: plays it on this computer, or with `file` writes it to a sound file in the user's folder.",
        {
            "text": build_text_schema(MAX_CALL_CHARS),
            **VOICE_ARGUMENTS,
            "file": build_text_schema(MAX_NAME_CHARS, description="Name of the file, without a path"),
            "format": FORMAT_ARGUMENT,
        },
        "text",
        reads=False,
    ),
    describe_tool("voices", "Voices", "Lists the speakers and their styles.", {}, reads=True),
    describe_tool(
        "read_timings",
        "Read timings",
        "Returns when each sentence, mora and phone of a text sounds, in seconds, and how the text is read.",
        {"text": build_text_schema(MAX_QUERY_TEXT), **VOICE_ARGUMENTS},
        "text",
        reads=True,
    ),
    describe_tool(
        "export",
        "Export",
        "Writes one sound file for each line into the user's folder, numbered in order.",
        {
            "name": build_text_schema(MAX_NAME_CHARS, description="Begin of the names, without a path"),
            "lines": build_array_schema(MAX_EXPORTED_LINES, _LINE),
            "format": FORMAT_ARGUMENT,
        },
        "name",
        "lines",
        reads=False,
    ),
    *PROJECT_TOOLS,
)


class SpeechTools:
    """The tools over the voices that are offered, with an output by name or number; None follows the system."""

    def __init__(
        self,
        *,
        engine: Engine,
        catalogue: StyleCatalogue,
        folder: AgentFolder,
        projects: ProjectTools,
        device: str | None = None,
        open_output: Callable[[str | int | None, int], PortAudioPlayer] = open_player,  # at a rate in Hz
    ) -> None:
        self._engine, self._catalogue, self._folder, self._device, self._open_output = engine, catalogue, folder, device, open_output
        self._player: PortAudioPlayer | None = None
        self._ids = itertools.count(1)
        self._is_cancelled: Callable[[], bool] = ignore_cancellation
        self._handlers: dict[str, ToolHandler] = {
            "speak": self._speak_text,
            "voices": lambda _values, _agent, _turn: {
                "voices": [
                    {"name": speaker.name, "styles": [style.name for style in speaker.styles], "voice": speaker.voice}
                    for speaker in self._catalogue.speakers
                ]
            },
            "read_timings": self._read_timings,
            "export": self._export_lines,
            **projects.handlers,
            "speak_line": lambda values, _agent, turn: self._play_request(turn, *projects.build_request(values, turn)),
        }
        self._projects = projects

    def list_tools(self) -> list[dict[str, Any]]:
        """Return the tools with the schemas of their arguments."""
        return list(TOOLS)

    def call_tool(
        self, name: str, arguments: dict[str, Any], agent: str, is_cancelled: Callable[[], bool] = ignore_cancellation
    ) -> dict[str, Any]:
        """Return the result of a tool, or what is wrong; raise RpcError for one that does not exist, RequestStopped once `is_cancelled()`."""
        tool = next((tool for tool in TOOLS if tool["name"] == name), None)
        if tool is None:
            raise RpcError(INVALID_PARAMS, "Unknown tool")
        self._is_cancelled = self._projects.is_cancelled = is_cancelled
        try:
            arguments = filter_arguments(tool["inputSchema"], arguments)
            importance = Importance.HEARD if name in ("speak", "speak_line") else Importance.SERVED
            result = JobHandle(self._engine, importance, partial(self._handlers[name], arguments, agent)).wait_for_result()
        except AppError as error:
            return _build_failure(f"{error.message} {error.hint}".strip())
        except RefusalError as refusal:
            return _build_failure(json.dumps(refusal.body, ensure_ascii=False))
        content = [{"type": "text", "text": json.dumps(result, ensure_ascii=False)}]
        return {"content": content, "structuredContent": result, "isError": False}

    def stop_sound(self) -> None:
        """Silence what sounds; may be called from any thread."""
        if self._player is not None:
            self._player.abort_output()

    def close(self) -> None:
        """Play what waits to the end."""
        if self._player is not None:
            self._player.close()

    def _speak_text(self, values: dict[str, Any], agent: str, turn: JobTurn) -> dict[str, Any]:
        style = self._choose_style(values, agent)
        if "file" in values:
            suffix = values["file"].rpartition(".")[2].lower()
            form = values.get("format") or (suffix if suffix in FILE_FORMATS else "wav")
            return {"files": [self._write_file(turn, values, style, values["file"], form)]}
        return self._play_request(turn, style.voice, self._build_request(values, style))

    def _play_request(self, turn: JobTurn, voice: str, request: SynthesisRequest) -> dict[str, Any]:
        played_s, pipeline = 0.0, turn.open_speaker(voice).pipeline
        player = self._player = self._player or self._open_output(self._device, pipeline.voice.sampling_rate)
        gate = PhraseGate(pace=pipeline.pace, player=player)
        record_speech()
        for chunk in pipeline.synthesize(request, record_at_stages(turn.on_stage), self._is_cancelled):
            if self._is_cancelled():
                break
            record_speech()
            gate.add_chunk(chunk)
            played_s += len(chunk.samples) / chunk.sampling_rate
        player.finish_request()
        if self._is_cancelled():
            raise RequestStopped
        return {"seconds": round(played_s, 3)}

    def _export_lines(self, values: dict[str, Any], agent: str, turn: JobTurn) -> dict[str, Any]:
        lines, form = values["lines"], values.get("format", "wav")
        if sum(len(line["text"]) for line in lines) > MAX_CALL_CHARS:
            english = f"One call takes {MAX_CALL_CHARS} characters at most."
            raise InputError(localize(f"一度に {MAX_CALL_CHARS} 文字まで書き出せます。", english))
        stem = check_file_name(values["name"], f".{form}")
        # All voices are known to exist before the first file is written.
        styles = [self._choose_style(line, agent) for line in lines]
        digits = max(3, len(str(len(lines))))
        numbered = enumerate(zip(lines, styles, strict=True), 1)
        return {"files": [self._write_file(turn, line, style, f"{stem} {number:0{digits}}", form) for number, (line, style) in numbered]}

    def _read_timings(self, values: dict[str, Any], agent: str, turn: JobTurn) -> dict[str, Any]:
        style = self._choose_style(values, agent)
        pipeline = turn.open_speaker(style.voice).pipeline
        speech = QuerySynthesizer(pipeline, self._build_request(values, style), QueryTextMemory())
        return build_timings(pipeline, values["text"], measure_line(speech))

    def _choose_style(self, values: dict[str, Any], agent: str) -> ServedStyle:
        """Return the style of a call, which is remembered if the call names it; else the agent's last one, or the first of all."""
        name, style = values.get("voice", ""), values.get("style", "")
        remembered = find_agent_voice(agent) if agent and not name else ""
        last_style = self._catalogue.find_style(remembered) if remembered else None
        if not name and last_style is not None:
            if not style:
                return last_style
            name = self._catalogue.find_owner(last_style).name
        chosen_style = self._catalogue.find_style(name, style=style)
        if chosen_style is None:
            raise create_unknown_voice_error()
        if values.get("voice") and agent:
            remember_agent_voice(agent, str(chosen_style.id))
        return chosen_style

    def _build_request(self, values: dict[str, Any], style: ServedStyle) -> SynthesisRequest:
        request = SynthesisRequest(values["text"], id=f"agent-{next(self._ids)}", speaker=style.speaker, style=style.style)
        return replace(request, speed=float(values["speed"])) if "speed" in values else request

    def _write_file(self, turn: JobTurn, values: dict[str, Any], style: ServedStyle, name: str, form: str) -> dict[str, Any]:
        suffix = f".{form}"
        pipeline: Pipeline = turn.open_speaker(style.voice).pipeline
        sink = open_sound_file(str(self._folder.choose_path(name, suffix)), pipeline.voice.sampling_rate)
        samples = 0
        try:
            for chunk in synthesize_or_silence(pipeline, self._build_request(values, style), turn.on_stage, self._is_cancelled):
                sink.write_chunk(chunk)
                samples += len(chunk.samples)
            if self._is_cancelled():
                raise RequestStopped
            path = self._folder.place_part(sink.finish_as_part(), name, suffix)
        except BaseException:
            sink.abort_output()
            raise
        return {"file": path.name, "seconds": round(samples / pipeline.voice.sampling_rate, 3)}


def _build_failure(message: str) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": message}], "isError": True}
