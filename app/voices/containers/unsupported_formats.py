"""Names files that people take for an SBV2 voice, with the reason for the refusal and what to do instead. `app.voices.containers.container_recognition` finds them."""

from typing import NamedTuple

from app.common.errors import VoiceError
from app.common.language import localize

_CHOOSE_VOICE_HINT = (
    "Style-Bert-VITS2 の声（.aivmx .aivm .safetensors .onnx .sbv2 .zip）を選んでください。",
    "Choose a Style-Bert-VITS2 voice (.aivmx .aivm .safetensors .onnx .sbv2 .zip).",
)

VOICE_SUFFIXES = (".aivmx", ".aivm", ".safetensors", ".onnx", ".sbv2", ".zip")


class UnsupportedFormat(NamedTuple):
    """A kind of file that is no SBV2 voice, in both languages; without a hint of its own the general one is shown."""

    ja: str
    en: str
    hint_ja: str = _CHOOSE_VOICE_HINT[0]
    hint_en: str = _CHOOSE_VOICE_HINT[1]


def _build_other_software_format(ja: str, en: str, software: str) -> UnsupportedFormat:
    return UnsupportedFormat(
        ja,
        en,
        f"{software} に対応したアプリで使ってください。{_CHOOSE_VOICE_HINT[0]}",
        f"Use it with software that supports {software}. {_CHOOSE_VOICE_HINT[1]}",
    )


_UNPACK_HINT = ("展開して、中の声を選んでください。", "Unpack it and choose the voice inside.")
_DOWNLOAD_HINT = ("もう一度ダウンロードしてください。", "Download it again.")
_SAME_FOLDER_HINT = ("同じフォルダーにある声のファイルを選んでください。", "Choose the voice file in the same folder.")
_PICKLE_HINT = (
    "読み込むとプログラムが実行されるおそれがある形式のため、開けません。同じ声の .safetensors を選んでください。",
    "Loading this format can run arbitrary code, so it is never opened. Choose the .safetensors file of the same voice.",
)

UNSUPPORTED_FORMATS = {
    # other speech software
    "irodori": _build_other_software_format("Irodori-TTS のモデル", "an Irodori-TTS model", "Irodori-TTS"),
    "irovoice": _build_other_software_format("Irodori-TTS の声（.irovoice）", "a voice for Irodori-TTS (.irovoice)", "Irodori-TTS"),
    "dacvae": _build_other_software_format(
        "Irodori-TTS などが使う音声コーデック DACVAE", "DACVAE, an audio codec that Irodori-TTS uses", "Irodori-TTS"
    ),
    "lora": UnsupportedFormat(
        "LoRA（Irodori-TTS などの追加学習データ）",
        "a LoRA, an add-on for another model such as Irodori-TTS",
        "LoRA だけでは音声を合成できません。元のモデルに対応したアプリで使ってください。",
        "A LoRA does not work on its own. Use it with software that supports its base model.",
    ),
    "piper": _build_other_software_format("Piper または piper-plus の声", "a Piper or piper-plus voice", "Piper"),
    "kokoro": _build_other_software_format("Kokoro（StyleTTS 2）の声", "a Kokoro (StyleTTS 2) voice", "Kokoro"),
    "mb_istft": _build_other_software_format("MB-iSTFT-VITS の声", "an MB-iSTFT-VITS voice", "MB-iSTFT-VITS"),
    "vits": _build_other_software_format(
        "別の種類の VITS の声（MMS、MB-iSTFT-VITS など）", "another type of VITS voice (MMS, MB-iSTFT-VITS …)", "VITS"
    ),
    "espnet": _build_other_software_format("ESPnet の声", "an ESPnet voice", "ESPnet"),
    "bert_vits2": _build_other_software_format("スタイルのない Bert-VITS2 の声", "a Bert-VITS2 voice without styles", "Bert-VITS2"),
    "rvc": _build_other_software_format("RVC の声質変換モデル", "an RVC voice conversion model", "RVC"),
    "gpt_sovits": _build_other_software_format("GPT-SoVITS の声", "a GPT-SoVITS voice", "GPT-SoVITS"),
    "voicevox": UnsupportedFormat("VOICEVOX の声", "a VOICEVOX voice"),
    "voicevox_plugin": UnsupportedFormat("VOICEVOX のエンジン", "a VOICEVOX engine"),
    "hts": UnsupportedFormat("HTS の声（Open JTalk など）", "an HTS voice (Open JTalk and others)"),
    "utau": UnsupportedFormat("UTAU の音源", "a UTAU voice bank"),
    # parts of SBV2 that do not speak
    "bert": UnsupportedFormat(
        "BERT モデル",
        "a BERT model, not a voice",
        "「ファイル」メニューの「BERT のファイルを追加…」（コマンドラインでは koebako bert add）から追加してください。",
        "Add it with “Add BERT file…” in the File menu, or with `koebako bert add`.",
    ),
    "checkpoint": UnsupportedFormat(
        "Style-Bert-VITS2 の学習途中のファイル（G_*.pth など）", "a Style-Bert-VITS2 training checkpoint (G_*.pth)", *_PICKLE_HINT
    ),
    "duration_predictor": UnsupportedFormat(
        "声の一部（音の長さだけを予測する ONNX モデル）",
        "a part of a voice, an ONNX model that only predicts durations",
        *_SAME_FOLDER_HINT,
    ),
    "discriminator": UnsupportedFormat("学習用の判別器（D_*）", "a discriminator (D_*), used only for training", *_SAME_FOLDER_HINT),
    "vectors": UnsupportedFormat("声のスタイルのデータ", "the style vectors of a voice", *_SAME_FOLDER_HINT),
    "settings": UnsupportedFormat("設定などの JSON ファイル", "a JSON file, such as the settings of a voice", *_SAME_FOLDER_HINT),
    "project": UnsupportedFormat(
        "プロジェクトファイル", "a project file", "声ではなく、台本として開いてください。", "Open it as a script, not as a voice."
    ),
    # other files
    "pickle": UnsupportedFormat("PyTorch のファイル", "a PyTorch file", *_PICKLE_HINT),
    "other_graph": UnsupportedFormat("声以外の ONNX モデル", "an ONNX model other than a voice"),
    "other_weights": UnsupportedFormat("声以外のモデルの重み", "the weights of a model other than a voice"),
    "other_model": UnsupportedFormat("別の形式の機械学習モデル", "a machine learning model in another format"),
    "index": UnsupportedFormat("検索用のインデックス（.index）", "a search index (.index)"),
    "archive": UnsupportedFormat("zip 以外の圧縮ファイル", "an archive other than zip", *_UNPACK_HINT),
    "sound": UnsupportedFormat("音声や動画のファイル", "an audio or video file"),
    "picture": UnsupportedFormat("画像または動画", "an image or a video"),
    "document": UnsupportedFormat("文書", "a document"),
    "program": UnsupportedFormat("プログラム", "a program"),
    "text": UnsupportedFormat("テキスト", "a text"),
    "web_page": UnsupportedFormat("保存されたウェブページ", "a saved web page", *_DOWNLOAD_HINT),
    "pointer": UnsupportedFormat(
        "Git LFS のポインター（本体は未ダウンロード）", "a Git LFS pointer without the actual file", *_DOWNLOAD_HINT
    ),
    "empty": UnsupportedFormat("空のファイル", "an empty file", *_DOWNLOAD_HINT),
    "zeros": UnsupportedFormat("ゼロだけのファイル", "a file that contains only zeros", *_DOWNLOAD_HINT),
}
NON_MODEL_KINDS = {"sound", "picture", "document", "program", "text", "settings", "project", "vectors", "empty", "index", "web_page"}
"""Kinds that are found next to voices; in a folder they are skipped."""


class UnsupportedFormatError(VoiceError):
    """A file that is something else than a voice; `kind` is a key of KINDS."""

    def __init__(self, kind: str, name: str, detail: str = "") -> None:
        what = UNSUPPORTED_FORMATS[kind]
        super().__init__(
            localize(
                f"「{name}」は{what.ja}です。Koebako で開けるのは Style-Bert-VITS2 の声です。",
                f"“{name}” is {what.en}; Koebako opens Style-Bert-VITS2 voices.",
            ),
            localize(what.hint_ja, what.hint_en) + (f" ({detail})" if detail else ""),
        )
        self.kind = kind
