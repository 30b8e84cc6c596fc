"""Follows voice tasks: their results go to lines, open voices and banners, and voices that can be used already are finished in the background."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Slot

from app.common.errors import AppError
from app.common.language import localize
from app.ui.background_thread import BackgroundThread, log_error
from app.ui.display_names import summarise_probe
from app.ui.settings.settings_store import SettingsStore
from app.ui.synthesis.speech_controller import SpeechController
from app.ui.tasks.process_task import FINISHED_STATES, ProcessTask, TaskState
from app.ui.voices.catalog_voice import CatalogVoice
from app.ui.voices.voice_catalog import VoiceCatalog
from app.ui.voices.voice_controller import VoiceController
from app.ui.voices.voice_tasks import AddedVoiceRow, RefinementSpec, VoiceAdditionResult, VoiceTasks, create_refinement_task
from app.ui.widgets.banner import Banner
from app.voices.int8_result import Int8Result
from app.voices.voice_labels import describe_int8_quality

if TYPE_CHECKING:
    from app.install.refinement_work import RefinementWork


class VoiceTaskResultHandler(QObject):
    """Gives lines their new voices and reports results in a banner."""

    def __init__(self, tasks: VoiceTasks, voices: VoiceController, catalog: VoiceCatalog, settings: SettingsStore, banner: Banner) -> None:
        super().__init__(tasks)
        self._voices, self._catalog, self._settings, self._banner = voices, catalog, settings, banner
        # Ids of added voices that the catalog has not read yet.
        self._added_ids: list[str] = []
        # The voice that was refined, as `_added`.
        self._refined_id = ""
        catalog.changed.connect(self._check_added_voices)
        tasks.voices_added.connect(self._use_added_voices)
        tasks.voice_refined.connect(self._note_refined_voice)
        tasks.bert_added.connect(self._report_added_bert)
        tasks.voice_exported.connect(self._report_export)
        tasks.backends_measured.connect(self._report_measurement)
        tasks.licence_declined.connect(self._report_declined_licence)
        tasks.change_failed.connect(self._report_failed_change)
        tasks.renewal_failed.connect(self._report_failed_renewal)

    @Slot()
    def _check_added_voices(self) -> None:
        """Offer a missing BERT for voices that were just added, and Fast for one that was refined."""
        added, self._added_ids = self._added_ids, []
        lacking = [voice for name in added if (voice := self._catalog.find_voice(name)) is not None and not voice.has_bert]
        if lacking and not self._settings.value.force_bert:
            self._voices.bert_needed.emit(lacking[0])
        refined = self._catalog.find_voice(self._refined_id) if self._refined_id else None
        self._refined_id = ""
        if refined is not None and refined.manifest.fast is not None and self._catalog.find_precision(refined) == "exact":
            self._offer_fast(refined, refined.manifest.fast)

    @Slot(str)
    def _note_refined_voice(self, voice: str) -> None:
        self._refined_id = voice

    def _offer_fast(self, voice: CatalogVoice, fast: Int8Result) -> None:
        def use_fast() -> None:
            self._banner.hide()
            self._catalog.choose_precision(voice, "fast")

        gain = localize(f"（約 {fast.gain:.1f} 倍の速さ）", f" (about {fast.gain:.1f} times as fast)") if fast.gain else ""
        offer = localize(
            f"この声では「高速」も使えます{gain}。声のカードでいつでも切り替えられ、ブラインドテストで聞き比べられます。",
            f"“Fast” is available{gain}. Switch or compare on the voice's card.",
        )
        self._banner.show_message(
            "notice",
            localize(f"「{voice.name}」の準備がすべて終わりました。", f"“{voice.name}” is fully prepared."),
            offer,
            action=localize("高速を使う", "Use Fast"),
            tip=localize("この声だけを「高速」に切り替えます。", "Switches this voice to Fast, and no other."),
            on_action=use_fast,
            details=describe_int8_quality(fast),
        )

    @Slot(object)
    def _use_added_voices(self, result: VoiceAdditionResult) -> None:
        if result.has_bert:
            self._use_own_bert()
        if not result.voices:
            return
        ids = [voice.id for voice in result.voices]
        self._added_ids += ids
        lines = result.spec.lines
        used = self._voices.use_added_voices(ids, lines, keeps_other_voices=result.spec.keeps_other_voices)
        usage = "The selected line now uses this voice." if len(lines) == 1 else "The selected lines now use this voice."
        spoken = localize("選択していた行の声に設定しました。", usage) if used else ""
        reasons = [voice.opaque_reason for voice in result.voices if voice.opaque_reason]
        message = _format_added_voices(result.voices, is_update=result.spec.is_update)
        self._banner.show_message("notice", message, " ".join([spoken, *reasons]).strip())

    def _use_own_bert(self) -> None:
        self._settings.change_settings(force_bert=False)
        self._voices.reload_forced_bert_voices()

    @Slot()
    def _report_added_bert(self) -> None:
        self._use_own_bert()
        self._banner.show_message(
            "notice", localize("BERT を追加しました。声を使えます。", "BERT was added; the voices that require it are ready.")
        )

    @Slot(object)
    def _report_export(self, target: Path) -> None:
        self._banner.show_message("notice", localize(f"書き出しました: {target.name}", f"Exported: {target.name}"), str(target.parent))

    @Slot(object)
    def _report_measurement(self, results: Sequence[dict[str, Any]]) -> None:
        self._banner.show_message(
            "notice", localize("バックエンドの測定が完了しました。", "The backends were measured."), summarise_probe(results)
        )

    @Slot()
    def _report_declined_licence(self) -> None:
        self._banner.show_message(
            "notice",
            localize("利用規約に同意しなかったため、声は追加されていません。", "You declined the licence, so the voice was not added."),
        )

    @Slot(str, object)
    def _report_failed_change(self, title: str, error: AppError) -> None:
        self._banner.show_message("error", f"{title}: {error.message}", error.hint)

    @Slot(str, object)
    def _report_failed_renewal(self, name: str, error: AppError) -> None:
        from app.install.refinement_work import explain_failed_renewal  # the window starts without what looks for voices

        failed = explain_failed_renewal(name, error)
        self._banner.show_message("notice", failed.message, failed.hint)


def _format_added_voices(rows: Sequence[AddedVoiceRow], *, is_update: bool) -> str:
    voice_names = [voice.name for voice in rows]
    names = "".join(f"「{name}」" for name in voice_names)
    voices = f"The voice{'s' * (len(voice_names) > 1)} {', '.join(f'“{name}”' for name in voice_names)}"
    present, past = ("is", "was") if len(rows) == 1 else ("are", "were")
    if all(voice.was_here for voice in rows):
        if is_update:
            return localize(f"声{names}は最新です。", f"{voices} {present} up to date.")
        return localize(f"声{names}はすでに追加されています。", f"{voices} {present} already installed.")
    if all(voice.is_updated for voice in rows):
        return localize(f"声{names}を更新しました。", f"{voices} {past} updated.")
    return localize(f"声{names}を追加しました。", f"{voices} {past} added.")


class RefinementController(QObject):
    """Queues a task for the first voice or BERT that is to be prepared again or refined; one whose row the user closes stays as it is for good."""

    def __init__(self, catalog: VoiceCatalog, tasks: VoiceTasks, speech: SpeechController) -> None:
        super().__init__(tasks)
        self._catalog, self._tasks, self._speech = catalog, tasks, speech
        # Folders whose tasks failed, which are not tried again until the next start, and of those being abandoned.
        self._left_alone: set[Path] = set()
        self._background = BackgroundThread(self, "refinement")
        self._background.failed.connect(log_error)
        catalog.changed.connect(self._queue_next)
        # Open voices speak with their new graphs from the next line on.
        tasks.voice_refined.connect(speech.reopen_voice)
        tasks.voice_renewed.connect(speech.reopen_voice)
        tasks.bert_refined.connect(self._reopen_voices_of_bert)
        tasks.queue.failed.connect(self._note_failure)
        tasks.queue.removed.connect(self._abandon_cancelled)

    def close(self) -> None:
        """Wait for the background thread."""
        self._background.close()

    @Slot()
    def _queue_next(self) -> None:
        queue = self._tasks.queue
        if any(isinstance(job.work, RefinementSpec) and job.stage not in FINISHED_STATES for job in queue.jobs):
            return
        waiting = list(self._iterate_works())
        self._left_alone &= {work.folder for work in waiting}
        chosen = next((work for work in waiting if work.folder not in self._left_alone), None)
        if chosen is not None:
            queue.add_task(create_refinement_task(chosen))

    def _iterate_works(self) -> Iterator[RefinementWork]:
        """Yield the works in the order of their kinds."""
        from app.install.refinement_work import RefinementWork  # the scan of the catalog loaded it, and the start goes without

        for voice in self._catalog.voices:
            if voice.is_renewal_due:
                yield RefinementWork("renewal", voice.manifest.id, voice.name, voice.path)
        for voice in self._catalog.voices:
            if voice.is_pending and voice.origin == "own":
                yield RefinementWork("voice", voice.manifest.id, voice.name, voice.path)
        for bert in self._catalog.pending_berts:
            yield RefinementWork("bert", bert.id, bert.id, bert.folder)

    @Slot(str)
    def _reopen_voices_of_bert(self, bert: str) -> None:
        for voice in self._catalog.voices:
            if voice.manifest.bert == bert:
                self._speech.reopen_voice(voice.id)

    @Slot(object)
    def _note_failure(self, job: ProcessTask) -> None:
        if isinstance(job.work, RefinementSpec):
            self._left_alone.add(job.work.work.folder)

    @Slot(object)
    def _abandon_cancelled(self, job: ProcessTask) -> None:
        if not isinstance(job.work, RefinementSpec) or job.stage is not TaskState.CANCELLED:
            return
        work, kind = job.work.work, job.work.work.kind
        if kind == "renewal":
            return
        self._left_alone.add(work.folder)

        def abandon_work() -> None:
            from app.install.refinement_runs import abandon_refinement

            abandon_refinement(work.folder, kind)

        self._background.run_work(abandon_work, lambda _none: self._catalog.refresh_voices())
