"""A voice that is ready to be opened: its description, its style vectors and where its graphs are."""

from dataclasses import dataclass
from pathlib import Path

from app.common.errors import VoiceError
from app.common.language import localize
from app.core.sound.voice_traits import ARCHITECTURES, VoiceTraits
from app.core.synthesis_types import Float32
from app.voices.untrusted.style_vectors import STYLE_VECTORS_NAME, read_style_vectors
from app.voices.voice_manifest import VoiceManifest, read_manifest

__all__ = ["STYLE_VECTORS_NAME", "GraphSources", "Voice", "check_voice_vectors", "read_prepared_voice", "read_style_vectors"]

GraphSources = dict[str, Path | bytes]


@dataclass(frozen=True, slots=True)
class Voice:
    """One voice, read from the folder or file `path`; style vectors are float32 (styles, 256), graphs files or serialised models by name."""

    manifest: VoiceManifest
    style_vectors: Float32
    graphs: GraphSources
    path: Path

    def build_traits(self) -> VoiceTraits:
        """Build the traits of the voice that the pipeline needs."""
        info = self.manifest
        return VoiceTraits(
            id=info.id,
            name=info.name,
            bert=info.bert,
            sampling_rate=info.sampling_rate,
            hop_length=info.hop_length,
            speakers={item.id: item.name for item in info.speakers},
            styles={item.id: item.name for item in info.styles},
            style_vectors=self.style_vectors,
            durations=info.durations,
            margin_frames=info.margin_frames,
            windows=info.windows,
            multilingual=info.multilingual,
            add_blank=info.add_blank,
            emoji=info.emoji,
            architecture=ARCHITECTURES[info.architecture],
            median_f0=info.median_f0,
            max_style_weight=info.max_style_weight,
        )


def read_prepared_voice(folder: Path) -> Voice:
    """Return the voice in a prepared folder; raise VoiceError with the part that is missing or damaged."""
    manifest = read_manifest(folder)
    graphs: GraphSources = {}
    for name, file_name in manifest.graphs.items():
        if not (folder / file_name).is_file():
            raise VoiceError(
                localize(
                    f"声「{manifest.name}」のファイル {file_name} がありません。",
                    f"The file {file_name} of the voice “{manifest.name}” is missing.",
                ),
                localize("Koebako を再インストールするか、声をもう一度追加してください。", "Reinstall Koebako, or add the voice again."),
            )
        graphs[name] = folder / file_name
    voice = Voice(manifest, read_style_vectors(folder / STYLE_VECTORS_NAME), graphs, folder)
    check_voice_vectors(voice)
    return voice


def check_voice_vectors(voice: Voice) -> None:
    """Raise VoiceError if styles and vectors do not fit each other."""
    try:
        voice.build_traits()
    except ValueError as exc:
        raise VoiceError(
            localize(
                f"声「{voice.manifest.name}」のスタイルの数が一致しません。",
                f"The voice “{voice.manifest.name}” has a different number of styles and style vectors.",
            ),
            localize("声をもう一度ダウンロードしてください。", "Download the voice again."),
        ) from exc
