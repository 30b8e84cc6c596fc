"""The numbers that say in which manner a line is spoken.

Each number is declared here once; the check, command line, tables, service, panel and settings follow from the declaration.
"""

import re
from dataclasses import dataclass, field, fields
from typing import Any

from app.common.language import localize


@dataclass(frozen=True, slots=True)
class Bounds:
    """Lowest, highest and default value of a parameter, and its name for people."""

    low: float
    high: float
    default: float
    ja: str
    en: str
    step: float = 0.01

    @property
    def label(self) -> str:
        """Return the parameter's name in the language of the user."""
        return localize(self.ja, self.en)


PLAIN_DECIMAL = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)")
TYPED_SIGNS = str.maketrans("０１２３４５６７８９．，,＋－−ー％", "0123456789...+---%")


@dataclass(frozen=True, slots=True)
class Unit:
    """The unit in which people read and type a number; files, tables and requests have the bare number."""

    before: str = ""
    after: tuple[str, str] = ("", "")  # in Japanese and in English
    scale: int = 1  # what people read for 1
    decimals: int = 2
    is_signed: bool = False  # people read +2 and ±0

    def format_number(self, value: float) -> str:
        """Return a number as people read it: ×1.20, +2 半音, 80 %."""
        shown = round(value * self.scale, self.decimals)
        number = f"{shown:.{self.decimals}f}"
        if self.is_signed:
            number = f"{shown:+g}".replace("-", "−") if shown else "±0"
        return self.before + number + localize(*self.after)

    def parse_number(self, text: str) -> float | None:
        """Return the number that was typed, with its unit or without it; None where there is none."""
        bare = text.strip().removeprefix(self.before).removeprefix("±")
        for after in self.after:
            bare = bare.removesuffix(after.strip())
        bare = bare.translate(TYPED_SIGNS).removesuffix("%").strip()
        return round(float(bare) / self.scale, 4) if PLAIN_DECIMAL.fullmatch(bare) else None


FACTOR = Unit(before="×")
SEMITONES = Unit(after=(" 半音", " st"), is_signed=True)
PERCENT = Unit(after=(" %", " %"), scale=100, decimals=0)


@dataclass(frozen=True, slots=True, kw_only=True)
class DeliveryBounds(Bounds):
    """Bounds of a number of `Delivery`, and its place in the user interface."""

    tips: tuple[str, str]  # effect on the sound, in Japanese and in English
    is_advanced: bool = False  # the panel folds its slider away, under “Advanced”
    unit: Unit = Unit()

    @property
    def tip(self) -> str:
        """Return the number's effect on the sound, in the language of the user."""
        return localize(*self.tips)


def _define_number(
    low: float,
    high: float,
    default: float,
    ja: str,
    en: str,
    *,
    tips: tuple[str, str],
    step: float = 0.05,
    is_advanced: bool = False,
    is_remembered: bool = True,
    unit: Unit = Unit(),
) -> Any:
    """Return a field with the metadata that `app.settings.user_settings` and `BOUNDS` need.

    Only a number with `is_remembered` is kept from a line for a new script.
    """
    bounds = DeliveryBounds(low, high, default, ja, en, step, tips=tips, is_advanced=is_advanced, unit=unit)
    return field(default=default, metadata={"bounds": bounds, "low": low, "high": high, "remembered": is_remembered})


KATAKANA, ENGLISH = LATIN_READINGS = ("katakana", "english")
"""How words in Latin letters are read."""


def describe_latin_reading(reading: str) -> str:
    """Return one of `LATIN_READINGS` as people read it."""
    return localize("英語", "English") if reading == ENGLISH else localize("カタカナ", "katakana")


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """The manner in which a line is spoken. Requests, settings of a line and the remembered settings inherit these fields.

    `pitch` is in semitones, `intonation` a factor of the pitch's deviation from its mean, `volume` a factor.
    """

    # Inherited instead of held in a value: files, bodies of requests and presets are flat, and
    # `replace(settings, speed=1.2)` works on each of them.
    # fmt: off
    style_weight: float = _define_number(0.0, 10.0, 1.0, "スタイルの強さ", "style weight", step=0.1, unit=FACTOR,
        tips=("スタイルの強さ。0 で標準の話し方、1 が標準の強さです。", "How strongly the style is applied: 0 is off, 1 is normal."))
    speed: float = _define_number(0.5, 2.0, 1.0, "話速", "speed", unit=FACTOR,
        tips=("話す速さ。声の高さは変わりません。", "Speaking speed; the pitch stays the same."))
    pitch: float = _define_number(-6.0, 6.0, 0.0, "音高", "pitch", step=0.1, unit=SEMITONES,
        tips=("声の高さ。単位は半音で、12 で 1 オクターブです。", "How high the voice is, in semitones (st); 12 make an octave."))
    intonation: float = _define_number(0.0, 2.0, 1.0, "抑揚", "intonation", unit=FACTOR,
        tips=("抑揚の大きさ。0 で平坦になり、1 が元のままです。", "How much the pitch rises and falls: 0 is flat, 1 leaves it unchanged."))
    accent_fidelity: float = _define_number(0.0, 1.0, 1.0, "アクセントの忠実さ", "accent fidelity", is_advanced=True,
        tips=("1 で読みのとおりの抑揚、0.5 でアクセントだけを守った声の抑揚、0 で声そのものの抑揚になります。",
            "1: the melody of the reading; 0.5: the voice's own with right accents; 0: the voice's own."))
    variation: float = _define_number(0.0, 2.0, 0.0, "言い方のゆらぎ", "variation", is_advanced=True,
        tips=("テンポ・抑揚・間がシードごとに変わります。0 でいつも同じになり、1 がテイクでの強さです。",
            "Tempo, melody and pauses change with the seed: 0 is always the same, 1 is what takes use."))
    sdp_ratio: float = _define_number(0.0, 1.0, 0.2, "テンポの緩急", "tempo variation", is_advanced=True,
        tips=("大きいほど話し方に緩急が付き、0 で一定になります。", "Higher values vary the rhythm more; 0 keeps it even."))
    noise: float = _define_number(0.0, 2.0, 0.6, "声のゆらぎ", "noise", is_advanced=True,
        tips=("大きいほど抑揚のばらつきが大きくなります。0 でばらつきがなくなります。", "Higher values vary the intonation more; 0: no variation."))
    noise_w: float = _define_number(0.0, 2.0, 0.8, "長さのゆらぎ", "duration noise", is_advanced=True,
        tips=("大きいほど音の長さのばらつきが大きくなります。", "Higher values vary the length of sounds more."))
    bert_weight: float = _define_number(0.0, 2.0, 1.0, "文脈の強さ", "BERT weight", is_advanced=True,
        tips=("文の意味を抑揚に反映する強さ。0 で反映しません。", "How much the meaning of the text shapes the intonation; 0 ignores it."))
    latin: str = field(default=LATIN_READINGS[0], metadata={"choices": LATIN_READINGS, "remembered": False})
    assist_text: str = field(default="", metadata={"remembered": False})
    assist_weight: float = _define_number(0.0, 1.0, 0.7, "アシストの強さ", "assist weight", is_advanced=True, is_remembered=False,
        tips=("アシストテキストの雰囲気を反映する強さ。", "How strongly the assist text colours the speech."))
    volume: float = _define_number(0.0, 4.0, 1.0, "音量", "volume", unit=PERCENT,
        tips=("音量。標準より大きくすると、音割れしないように大きな音が抑えられます。", "Volume; above the usual one the loudest sounds are held down so that nothing clips."))
    pre_silence_s: float = _define_number(0.0, 10.0, 0.1, "開始無音（秒）", "silence before (s)", is_advanced=True, is_remembered=False,
        tips=("行の前に入れる無音の長さ。", "Silence before the line."))
    post_silence_s: float = _define_number(0.0, 10.0, 0.1, "終了無音（秒）", "silence after (s)", is_advanced=True, is_remembered=False,
        tips=("行の後に入れる無音の長さ。", "Silence after the line."))
    # fmt: on


def name_column(name: str) -> str:
    """Return the name of a number in tables: `pre_silence` for `pre_silence_s`."""
    return name.removesuffix("_s")


def name_option(name: str) -> str:
    """Return the option of a number on the command line: `--pre-silence` for `pre_silence_s`."""
    return "--" + name_column(name).replace("_", "-")


def dump_delivery(delivery: Delivery) -> dict[str, Any]:
    """Return the values of all fields of a delivery by name, without those of the class that inherits them."""
    return {item.name: getattr(delivery, item.name) for item in fields(Delivery)}
