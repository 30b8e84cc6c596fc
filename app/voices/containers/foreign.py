"""What people take for an SBV2 voice: named, with the reason and what to do instead. `app.voices.containers.recognition` finds them."""

from __future__ import annotations

from typing import NamedTuple

from app.errors import VoiceError
from app.language import localized

_CHOOSE = (
    "Style-Bert-VITS2 の声 (.aivmx .aivm .safetensors .onnx .sbv2 .zip) を選んでください。",
    "Choose a Style-Bert-VITS2 voice (.aivmx .aivm .safetensors .onnx .sbv2 .zip).",
)


class Foreign(NamedTuple):
    """A kind of file that is no SBV2 voice, in both languages; without a hint of its own the general one is shown."""

    ja: str
    en: str
    hint_ja: str = _CHOOSE[0]
    hint_en: str = _CHOOSE[1]


def _for_other_software(ja: str, en: str, software: str) -> Foreign:
    """What other programs speak or convert with."""
    return Foreign(
        ja, en, f"{software} に対応したソフトで使ってください。{_CHOOSE[0]}", f"Use it with software for {software}. {_CHOOSE[1]}"
    )


_UNPACK = ("展開して、中の声を選んでください。", "Unpack it and choose the voice inside.")
_DOWNLOAD = ("ダウンロードし直してください。", "Download it again.")
_BESIDE = ("同じフォルダーの声のファイルを選んでください。", "Choose the voice file beside it.")
_PICKLE = (
    "読むだけでプログラムが動く形式なので開きません。同じ声の .safetensors を選んでください。",
    "Such a file can run programs when it is read, so it is never opened. Choose the .safetensors of the same voice.",
)

KINDS = {
    # other speech software
    "irodori": _for_other_software("Irodori-TTS のモデル", "an Irodori-TTS model", "Irodori-TTS"),
    "irovoice": _for_other_software("Irodori-TTS の声（.irovoice）", "a voice for Irodori-TTS (.irovoice)", "Irodori-TTS"),
    "dacvae": _for_other_software(
        "Irodori-TTS などが使う音声コーデック DACVAE", "DACVAE, an audio codec that Irodori-TTS uses", "Irodori-TTS"
    ),
    "lora": Foreign(
        "LoRA（Irodori-TTS などのモデルへの追加分）",
        "a LoRA, an addition to another model such as Irodori-TTS",
        "LoRA だけでは話せません。元のモデルに対応したソフトで使ってください。",
        "A LoRA does not speak by itself. Use it with software for the model it belongs to.",
    ),
    "piper": _for_other_software("Piper または piper-plus の声", "a Piper or piper-plus voice", "Piper"),
    "kokoro": _for_other_software("Kokoro（StyleTTS 2）の声", "a Kokoro (StyleTTS 2) voice", "Kokoro"),
    "mb_istft": _for_other_software("MB-iSTFT-VITS の声", "an MB-iSTFT-VITS voice", "MB-iSTFT-VITS"),
    "vits": _for_other_software(
        "別の種類の VITS の声（MMS、MB-iSTFT-VITS など）", "a VITS voice of another kind (MMS, MB-iSTFT-VITS or the like)", "VITS"
    ),
    "espnet": _for_other_software("ESPnet の声", "an ESPnet voice", "ESPnet"),
    "bert_vits2": _for_other_software("Style の付かない Bert-VITS2 の声", "a Bert-VITS2 voice without styles", "Bert-VITS2"),
    "rvc": _for_other_software("RVC の声質変換モデル", "an RVC voice conversion model", "RVC"),
    "gpt_sovits": _for_other_software("GPT-SoVITS の声", "a GPT-SoVITS voice", "GPT-SoVITS"),
    "voicevox": Foreign("VOICEVOX の声", "a VOICEVOX voice"),
    "voicevox_plugin": Foreign("VOICEVOX の追加エンジン", "an add-on of VOICEVOX"),
    "hts": Foreign("HTS の声 (Open JTalk など)", "an HTS voice (Open JTalk and others)"),
    "utau": Foreign("UTAU の音源", "a UTAU voice bank"),
    # parts of SBV2 that do not speak
    "bert": Foreign(
        "BERT (文を読み取るモデル)",
        "a BERT, not a voice",
        "メニューの「BERT のファイルを追加…」（コマンドでは koebako bert add）で追加してください。",
        "Add it with Add BERT file… in the menu, or with the command koebako bert add.",
    ),
    "checkpoint": Foreign(
        "Style-Bert-VITS2 の学習途中のファイル (G_*.pth など)", "a training checkpoint of Style-Bert-VITS2 (G_*.pth)", *_PICKLE
    ),
    "discriminator": Foreign("学習だけに使う判別器 (D_*)", "a discriminator (D_*), which only training needs", *_BESIDE),
    "vectors": Foreign("声のスタイルのデータ", "the style vectors of a voice", *_BESIDE),
    "settings": Foreign("設定などの JSON ファイル", "a JSON file, such as the settings of a voice", *_BESIDE),
    "project": Foreign(
        "読み上げのプロジェクトファイル", "a project file", "声ではなく、台本として開いてください。", "Open it as a script, not as a voice."
    ),
    # other files
    "pickle": Foreign("PyTorch のファイル", "a PyTorch file", *_PICKLE),
    "other_graph": Foreign("声ではない ONNX モデル", "an ONNX model, but not a voice"),
    "other_weights": Foreign("声ではない重み", "a file of weights, but not those of a voice"),
    "other_model": Foreign("別の形式の機械学習モデル", "a machine learning model of another format"),
    "index": Foreign("検索用の索引 (.index)", "a search index (.index)"),
    "archive": Foreign("zip 以外の書庫", "an archive other than a zip", *_UNPACK),
    "sound": Foreign("音声や動画のファイル", "a sound file or a video"),
    "picture": Foreign("画像か動画", "a picture or a video"),
    "document": Foreign("文書", "a document"),
    "program": Foreign("プログラム", "a program"),
    "text": Foreign("テキスト", "a text"),
    "web_page": Foreign("保存されたウェブページ", "a saved web page", *_DOWNLOAD),
    "pointer": Foreign("Git LFS の目印 (本体がまだない)", "a Git LFS pointer, not yet the file itself", *_DOWNLOAD),
    "empty": Foreign("空のファイル", "an empty file", *_DOWNLOAD),
    "zeros": Foreign("中身がゼロだけのファイル", "a file of nothing but zeros", *_DOWNLOAD),
}
ASIDE = {"sound", "picture", "document", "program", "text", "settings", "project", "vectors", "empty", "index", "web_page"}
"""Kinds that lie beside voices; in a folder they are passed over."""


class ForeignError(VoiceError):
    """A file that is something else than a voice; `kind` is a key of KINDS."""

    def __init__(self, kind: str, name: str, detail: str = "") -> None:
        what = KINDS[kind]
        super().__init__(
            localized(
                f"「{name}」は{what.ja}です。Koebako で開けるのは Style-Bert-VITS2 の声です。",
                f'"{name}" is {what.en}; Koebako opens Style-Bert-VITS2 voices.',
            ),
            localized(what.hint_ja, what.hint_en) + (f" ({detail})" if detail else ""),
        )
        self.kind = kind
