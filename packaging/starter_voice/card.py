"""Writes the model card of the starter voice from what `evaluate.py` measured.

Usage: `python card.py --work WORK --resources resources`
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import torch

CARD = """\
# Mei (starter)

A small student of Open JTalk's HTS voices, not a trained SBV2 model. It speaks behind the same interface as
Style-Bert-VITS2 JP-Extra voices, so that Koebako speaks on a fresh machine without any download, and it is honest about
what it is: a neural network that imitates statistical parametric synthesis, with the buzzy source of that kind of speech.
For natural voices, install an SBV2 voice.

* Language: Japanese. Speaker: Mei. Styles: Neutral, Happy, Bashful, Angry, Sad; weights between 0 and about 1.5 change the
  voice, larger ones level off.
* Works only with its own BERT (`koebako-starter-v1`), which ships beside it.
* {parameters:.1f} million parameters in the voice, {bert_parameters:.1f} million in the BERT; {size:.1f} MB together, weights stored in half precision.

## Sources and licences

This voice and its BERT are licensed CC BY 3.0 (https://creativecommons.org/licenses/by/3.0/), as its teacher is:

> HTS Voice "Mei", released by MMDAgent Project Team, http://www.mmdagent.jp/
> Copyright (c) 2009-2013 Nagoya Institute of Technology, Department of Computer Science.
> Licensed under CC BY 3.0. Changes made: a neural network was trained on the parameters that the voice generates; pauses,
> line ends, tempo and questions were adjusted. The authors of "Mei" do not endorse this voice.

Texts: ROHAN4600 and Common Voice Japanese (CC0), 青空文庫 (public domain; credit: 青空文庫). Labels: the front end of
pyopenjtalk-plus. Parameters: hts_engine API 1.10 (modified BSD). No recording and no other model was used.

## How it was made

`packaging/starter_voice/build.py` does everything, seeded and resumable:

1. Durations and trajectories (35 mel-cepstra, log F0, voicing) straight from the HTS engine for {hours:.0f} hours of speech.
   Mended on the way: silence at both ends 90 ms, pauses 250 to 400 ms, Bashful, Angry and Sad 1.3 times faster, the last
   mora of questions raised by about 300 cents, long joined lines added.
2. A character BERT (4 layers, 192 wide, disentangled attention) pretrained for 5 minutes on masked characters, parts of speech
   and phrase borders, then trained together with the voice.
3. The voice: a phone encoder gives five state durations and five state vectors per phone; a frame decoder at 86 frames per
   second gives vocoder parameters. {minutes:.0f} minutes on one core ({steps} steps of about 7,000 frames), the last three with
   single morae and fragments mixed in, which whole lines teach too little about.
4. A vocoder without trained parts: pulses and noise through the exact minimum-phase mel-cepstral filter.

100 lines of each of the two spoken corpora were held out of every mood (`packaging/starter_voice/held_out.json`).

## Figures

On {lines} held-out lines. Distortion, F0 and voicing with the teacher's timing and without noise, on speech frames;
durations are the student's own. DNSMOS (P.835, OVRL) of the student with default settings, of the teacher's parameters through
the same vocoder, and of the HTS engine's own sound: a relative measure of cleanness, not of naturalness. Speed: whole text to
sound on one core of a shared Xeon server while other work ran on it, ONNX Runtime, float32.

| style | mel-cepstral distortion | F0 RMSE | voicing error | phone duration RMSE | pause RMSE | DNSMOS student / teacher / HTS sound | highest peak | × real time |
|---|---|---|---|---|---|---|---|---|
{rows}

F0 is the weakest part. Without BERT features F0 RMSE grows by about {bert_gain:.0f} cents (Neutral). Peaks never pass −1 dBFS (soft limit).
Known faults: ん spoken quite alone is faint or silent; Bashful draws out a first sh, as its teacher does.
Not covered: emotion beyond the teacher's five moods, laughter, whispers, languages other than Japanese.
"""
ROW = (
    "| {name} | {mcd_db:.2f} dB | {f0_cents:.0f} cents | {voicing_percent:.1f} % | {phone_ms:.1f} ms | {pause_ms:.0f} ms "
    "| {dnsmos:.2f} / {dnsmos_teacher:.2f} / {dnsmos_hts_sound:.2f} | {peak:.2f} | {times_real_time:.0f} |"
)


def write_card(work: Path, resources: Path) -> None:
    """Writes `MODEL_CARD.md` into the voice's folder."""
    state = torch.load(work / "student.pt", map_location="cpu", weights_only=False)
    measured = json.loads((work / "figures.json").read_text())
    exported = {
        name: value for name, value in state["bert_average"].items() if name.split(".")[0] not in ("characters", "classes", "borders")
    }
    folders = [resources / "voices" / "mei", resources / "bert" / "starter"]
    styles = measured["styles"]
    card = CARD.format(
        parameters=sum(value.numel() for value in state["student_average"].values()) / 1e6,
        bert_parameters=sum(value.numel() for value in exported.values()) / 1e6,
        size=sum(path.stat().st_size for folder in folders for path in folder.glob("*.*") if path.suffix != ".md") / 1e6,
        hours=(work / "frames.f16").stat().st_size / 37 / 2 * 256 / 44100 / 3600,
        minutes=state["elapsed"] / 60,
        steps=f"{state['step']:,}",
        lines=measured["lines"],
        rows="\n".join(ROW.format(name=name, **row) for name, row in styles.items()),
        bert_gain=styles["Neutral"]["f0_cents_without_bert"] - styles["Neutral"]["f0_cents"],
    )
    (folders[0] / "MODEL_CARD.md").write_text(card, "utf-8", newline="\n")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--resources", type=Path, default=Path("resources"))
    options = parser.parse_args()
    write_card(options.work, options.resources)
