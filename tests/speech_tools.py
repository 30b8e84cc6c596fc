"""The tools of agents over the voices that are there, as `koebako mcp` puts them together, with a folder of the test's own."""

from pathlib import Path
from typing import Any

from app.common.files import paths
from app.engine.engine import Engine
from app.export.render_keys import collect_sound_conditions
from app.service.agents.agent_folder import AgentFolder
from app.service.agents.agent_tools import SpeechTools
from app.service.agents.offered_voices import OfferedVoices
from app.service.agents.project_tools import ProjectTools
from app.service.style_catalogue import build_catalogue
from app.settings.user_settings import Settings
from app.voices.installed_voices import find_shipped_voice_id, list_installed_voices


def create_speech_tools(engine: Engine, folder: Path, **options: Any) -> SpeechTools:
    catalogue, agent_folder = build_catalogue(list_installed_voices(paths.list_voice_dirs())), AgentFolder(folder)
    projects = ProjectTools(
        voices=OfferedVoices(catalogue, find_shipped_voice_id() or ""),
        folder=agent_folder,
        find_conditions=lambda voices, words: collect_sound_conditions({one: one for one in voices}, words, Settings(), backend="cpu"),
    )
    return SpeechTools(engine=engine, catalogue=catalogue, folder=agent_folder, projects=projects, **options)
