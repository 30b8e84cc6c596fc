"""What finished work on voices means for the lines, the open voices and the user."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Slot

from app.errors import AppError
from app.language import localized
from app.ui.probe_labels import summary
from app.ui.settings.store import SettingsStore
from app.ui.voices.catalog import VoiceCatalog
from app.ui.voices.catalog_voice import CatalogVoice
from app.ui.voices.controller import VoiceController
from app.ui.voices.tasks import VoiceAdditionResult, VoiceRow, VoiceTasks
from app.ui.widgets.banner import Banner
from app.voices.fast import Fast
from app.voices.fast_words import likeness


class VoiceResults(QObject):
    """Lets lines speak with new voices, and says what was done."""

    def __init__(self, tasks: VoiceTasks, voices: VoiceController, catalog: VoiceCatalog, settings: SettingsStore, banner: Banner) -> None:
        super().__init__(tasks)
        self._voices, self._catalog, self._settings, self._banner = voices, catalog, settings, banner
        self._added: list[str] = []  # voices that came in and were not looked at yet
        self._said = ("", "")  # of them, with what it means
        catalog.changed.connect(self._on_catalog)
        tasks.voices_added.connect(self._on_voices)
        tasks.bert_added.connect(self._on_bert)
        tasks.exported.connect(self._on_exported)
        tasks.measured.connect(self._on_measured)
        tasks.declined.connect(self._on_declined)
        tasks.change_failed.connect(self._on_change_failed)

    @Slot()
    def _on_catalog(self) -> None:
        """What came in may lack its BERT."""
        added, self._added = self._added, []
        lacking = [voice for name in added if (voice := self._catalog.find(name)) is not None and not voice.has_bert]
        if lacking and not self._settings.value.force_bert:
            self._voices.bert_needed.emit(lacking[0])
        single = self._catalog.find(added[0]) if len(added) == 1 else None
        if single is not None and single.manifest.fast is not None and self._catalog.precision_of(single) == "exact":
            self._offer_fast(single, single.manifest.fast)

    def _offer_fast(self, voice: CatalogVoice, fast: Fast) -> None:
        message, hint = self._said
        offer = localized(
            f"この声では「高速」も使えます（{likeness(fast)}）。声のカードでいつでも切り替えられ、ブラインドテストで聞き比べられます。",
            f"“Fast” is available ({likeness(fast)}). Switch or compare on the voice's card.",
        )
        self._banner.show_message(
            "notice",
            message,
            f"{hint}{localized('', ' ')}{offer}".strip(),
            action=localized("高速を使う", "Use Fast"),
            tip=localized("この声だけを「高速」に切り替えます。", "Switches this voice to Fast, and no other."),
            then=lambda: self._use_fast(voice),
        )

    def _use_fast(self, voice: CatalogVoice) -> None:
        self._banner.hide()
        self._catalog.choose_precision(voice, "fast")

    @Slot(object)
    def _on_voices(self, result: VoiceAdditionResult) -> None:
        if result.has_bert:
            self._use_own_bert()
        if not result.voices:
            return
        ids = [voice.id for voice in result.voices]
        self._added += ids
        lines = result.spec.lines
        used = self._voices.take_in(ids, lines)
        now = "The selected line now uses this voice." if len(lines) == 1 else "The selected lines now use this voice."
        spoken = localized("選択していた行の声に設定しました。", now) if used else ""
        reasons = [voice.opaque_reason for voice in result.voices if voice.opaque_reason]
        self._said = (_added_words(result.voices, is_update=result.spec.is_update), " ".join([spoken, *reasons]).strip())
        self._banner.show_message("notice", *self._said)

    def _use_own_bert(self) -> None:
        self._settings.change(force_bert=False)
        self._voices.open_forced_again()

    @Slot()
    def _on_bert(self) -> None:
        self._use_own_bert()
        self._banner.show_message(
            "notice", localized("BERT を追加しました。声を使えます。", "BERT was added; the voices that require it are ready.")
        )

    @Slot(object)
    def _on_exported(self, target: Path) -> None:
        self._banner.show_message("notice", localized(f"書き出しました: {target.name}", f"Exported: {target.name}"), str(target.parent))

    @Slot(object)
    def _on_measured(self, results: Sequence[dict[str, Any]]) -> None:
        self._banner.show_message(
            "notice", localized("バックエンドの測定が完了しました。", "The backends were measured."), summary(results)
        )

    @Slot()
    def _on_declined(self) -> None:
        self._banner.show_message(
            "notice",
            localized("利用規約に同意しなかったため、声は追加されていません。", "You declined the licence, so the voice was not added."),
        )

    @Slot(str, object)
    def _on_change_failed(self, title: str, error: AppError) -> None:
        self._banner.show_message("error", f"{title}: {error.message}", error.hint)


def _added_words(found: Sequence[VoiceRow], *, is_update: bool) -> str:
    called = [voice.name for voice in found]
    names = "".join(f"「{name}」" for name in called)
    voices = f"The voice{'s' * (len(called) > 1)} {', '.join(f'“{name}”' for name in called)}"
    now, then = ("is", "was") if len(found) == 1 else ("are", "were")
    if all(voice.was_here for voice in found):
        if is_update:
            return localized(f"声{names}は最新です。", f"{voices} {now} up to date.")
        return localized(f"声{names}はすでに追加されています。", f"{voices} {now} already installed.")
    if all(voice.is_updated for voice in found):
        return localized(f"声{names}を更新しました。", f"{voices} {then} updated.")
    return localized(f"声{names}を追加しました。", f"{voices} {then} added.")
