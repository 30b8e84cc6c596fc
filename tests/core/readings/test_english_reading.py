"""English words by the pronouncing dictionary: their syllables, where they are found in a text, and that nothing around them changes."""

from collections.abc import Iterator
from pathlib import Path
from zipfile import ZipFile

import pytest

from app.adapters.openjtalk import user_lexicon
from app.adapters.openjtalk.openjtalk_g2p import OpenJTalkG2P
from app.common.errors import InternalError
from app.common.files.paths import find_resources_dir
from app.core.sound.line_edits import move_overrides_to_text
from app.core.sound.line_reading import LineReading, read_line
from app.core.symbols import EMOJI_IDS, SYMBOLS, is_english, is_mora_end
from app.core.synthesis_types import MoraOverride, Overrides, ReadingOverride
from app.core.text.english_phones import ENGLISH_WORDS_FILE, convert_arpabet, list_stress_tones, write_arpabet
from app.core.text.phone_ids import KOKORO_TOKEN_IDS, convert_phones_to_tokens, count_moras

G2P = OpenJTalkG2P()
LETTERS = {token: letter for letter, token in KOKORO_TOKEN_IDS.items()} | {0: "|"}
MIXED = (
    "新しいiPhoneを買いました。",
    "このcoffeeはとてもおいしいですね。",
    "YouTubeのチャンネル登録をお願いします。",
    "それはnice ideaですね。",
    "Happy birthday、今日はおめでとう。",
    "Thank youと彼は言いました。",
    "新しいteacherはCanadaの出身です。",
    "昨日のconcertは最高でした。",
)


def read(text: str) -> str:
    return G2P.convert_sentence(text, english=True).reading


def iterate_entries() -> Iterator[tuple[str, str]]:
    with ZipFile(find_resources_dir() / ENGLISH_WORDS_FILE) as blocks:
        for name in blocks.namelist():
            for line in filter(None, blocks.read(name).decode().split("\n")):
                word, _, pronunciation = line.partition(" ")
                yield word, pronunciation


def test_every_word_of_the_dictionary_has_syllables_that_no_other_voice_knows() -> None:
    silent, names = set(), set[str]()
    for word, pronunciation in iterate_entries():
        syllables = convert_arpabet(pronunciation)
        assert convert_arpabet(write_arpabet(syllables)) == syllables, word
        if not syllables:
            silent.add(word)
        names.update(syllables)
    assert silent == {"fs", "hm", "hmm", "hmmm", "mm", "sh", "shh", "ths"}, "none of them has a vowel"
    assert len(names) > 20_000
    assert all(is_english(name) and is_mora_end(name) for name in names)
    assert names.isdisjoint((*SYMBOLS, *EMOJI_IDS))
    assert not any(map(is_english, (*SYMBOLS, *EMOJI_IDS)))


def test_each_word_of_the_file_is_found() -> None:
    words = [entry for number, entry in enumerate(iterate_entries()) if number % 401 in (0, 1)]
    dictionary = user_lexicon.load_english_dictionary()
    assert {word: dictionary.find_pronunciation(word) for word, _ in words} == dict(words)
    assert [dictionary.find_pronunciation(word) for word in ("", "'", "helloo", "zzzzz", "漢字")] == [""] * 5


@pytest.mark.parametrize(
    ("pronunciation", "syllables"),
    [
        ("HH AH0 L OW1", ("hə", "ˈloʊ")),
        ("EH1 K S T R AH0", ("ˈɛk", "stɹə")),
        ("AH0 M EH1 R AH0 K AH0", ("ə", "ˈmɛ", "ɹə", "kə")),
        ("W AY1 F AY2", ("ˈwaɪ", "ˌfaɪ")),
        ("S IH1 NG ER0", ("ˈsɪŋ", "əɹ")),
        ("HH AH L OW1", ("hə", "ˈloʊ")),
        ("HH", ()),
        ("HH AH0 LX", ()),
        ("HH1 AH0", ()),
        ("ハロー", ()),
        ("", ()),
    ],
)
def test_arpabet_becomes_syllables(pronunciation: str, syllables: tuple[str, ...]) -> None:
    assert convert_arpabet(pronunciation) == syllables


def test_a_word_is_high_from_its_first_main_stress_to_its_last() -> None:
    assert list_stress_tones(("hə", "ˈloʊ")) == [0, 1]
    assert list_stress_tones(("ˈblæk", "ˌbɜɹd")) == [1, 0]
    assert list_stress_tones(("ˈwɛl", "tuː", "ˈnoʊn", "liː")) == [1, 1, 1, 0]
    assert list_stress_tones(("ðə",)) == [0]


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("Hello, how are you?", "|həlˈO, hˈW ɑɹ jˈu?|"),
        ("The apple is in the box.", "|ði ˈæpəl ɪz ɪn ðə bˈɑks.|"),
        ("Mr. Smith lives in the U.S. now.", "|mˈɪstəɹ smˈɪθ lˈɪvz ɪn ðə jˈuˈɛs nˈW.|"),
        ("Meet me at 10:30 p.m.", "|mˈit mˌi æt tˈɛnθˈɜɹdˌi pˈiˈɛm.|"),
        ("I saw NASA and the USB.", "|ˌI sˈɔ nˈæsə ənd ðə jˈuˈɛsbˈi.|"),
        ("WELCOME TO JAPAN", "|wˈɛlkəm tə ʤəpˈæn|"),
        ("a well-known Wi-Fi e-mail", "|ə wˈɛlnˈOn wˈIfˌI imˈAl|"),
        ("新しいGitHubを見る。", "|ataɾaɕiː ɡˈɪthəbo mʲiɾɯ.|"),
        ("NHKとUSBとTシャツとAさん。", "|enɯeiʨikeito jɯːesɨbʲiːto tʲiːɕaʦɨto eːsaɴ.|"),
        ("iPhone 11を使う。", "|ˈIfˌOnɪlˈɛvəno ʦɨkaɯ.|"),
        ("Ｈｅｌｌｏと言う。", "|həlˈOto iɯ.|"),
        ("10 timesとvtuber", "|ʥɨːtaimɯzɨto bɯiʨɨːbaː|"),
    ],
)
def test_a_text_is_spoken_in_english_where_it_is_english(text: str, tokens: str) -> None:
    ids = convert_phones_to_tokens(G2P.convert_sentence(text, english=True))
    assert "".join(LETTERS[token] for token in ids.phones.tolist()) == tokens
    assert ids.word2ph.sum() == len(ids.phones)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("25 apples", "twenty five apples"),
        ("1,234,567 people", "one million two hundred thirty four thousand five hundred sixty seven people"),
        ("3.14 is pi", "three point one four is pi"),
        ("in 1999 and 2005 and 2026", "in nineteen ninety nine and two thousand five and twenty twenty six"),
        ("the 21st and 30th of May", "the twenty first and thirtieth of may"),
        ("50% off at 9:05", "fifty percent off at nine oh five"),
    ],
)
def test_numbers_of_an_english_sentence_are_words(text: str, words: str) -> None:
    assert read(text) == read(words)


@pytest.mark.parametrize("text", MIXED)
def test_the_japanese_around_english_words_stays_as_it_is(text: str) -> None:
    plain, mixed = G2P.convert_sentence(text), G2P.convert_sentence(text, english=True)
    sounds = list(zip(plain.phones, plain.tones, strict=True))
    assert any(map(is_english, mixed.phones)), "there is a word to speak in English"
    at, run = 0, list[tuple[str, int]]()
    for phone, tone in [*zip(mixed.phones, mixed.tones, strict=True), ("ə", 0)]:
        if not is_english(phone):
            run.append((phone, tone))
            continue
        at = next(start for start in range(at, len(sounds)) if sounds[start : start + len(run)] == run) + len(run)
        run = []


@pytest.mark.parametrize("text", [*MIXED, "Hello!", "雨が降る。"])
def test_katakana_stays_as_it_was(text: str) -> None:
    phones = G2P.convert_sentence(text)
    assert not any(map(is_english, phones.phones))
    assert phones == G2P.convert_sentence(text, english=False)


@pytest.mark.parametrize("text", ["https://example.com/hello", "mail@hello.com", "@hello", "file_hello", "x86 h2o mp3"])
def test_addresses_and_names_of_models_are_read_as_before(text: str) -> None:
    assert read(f"「{text}」です。") == G2P.convert_sentence(f"「{text}」です。").reading


def test_a_reading_by_hand_may_be_phones() -> None:
    given = (ReadingOverride("GIF", "JH IH1 F"), ReadingOverride("data", "ダータ"))
    assert G2P.convert_sentence("GIFとdataだ。", given, english=True).reading == "ˈʤɪfトダータダ"
    assert G2P.convert_sentence("GIFとdataだ。", given).reading == "ジフトダータダ", "a voice without English reads the word as ever"


def test_ruby_and_the_users_words_win() -> None:
    assert read("｜coffee《カヒー》を飲む。") == "カヒーヲノム"


def test_edits_stay_with_the_japanese_words_when_the_language_changes() -> None:
    def read_text(text: str, readings: tuple[ReadingOverride, ...], emoji: bool, memos: bool, english: bool) -> LineReading:
        return read_line(text, readings, G2P, emoji=emoji, memos=memos, english=english)

    text = "coffeeが雨だ。"
    plain = read_line(text, (), G2P)
    rain = next(index for index, mora in enumerate(plain.moras) if mora.kana == "ア")
    edits = Overrides(moras=(MoraOverride(0, 1), MoraOverride(rain, 0)), text=text)
    english = move_overrides_to_text(edits, text, read_text, english=True)
    shown = read_line(text, (), G2P, english=True)
    assert [mora.kana for mora in shown.moras][:3] == ["ˈkɑ", "fiː", "ガ"]
    assert [shown.moras[edit.mora].kana for edit in english.moras] == ["ア"], "the morae of コーヒー are gone"
    assert english.english
    assert [plain.moras[edit.mora].kana for edit in move_overrides_to_text(english, text, read_text).moras] == ["ア"]
    japanese = Overrides(moras=(MoraOverride(0, 0),), text="雨だ。")
    assert move_overrides_to_text(japanese, "雨だ。", read_text, english=True) is japanese, "there is nothing to count otherwise"


def test_syllables_are_morae_of_a_line_and_its_words_have_them() -> None:
    reading = read_line("Hello、雨。", (), G2P, english=True)
    assert [mora.kana for mora in reading.moras] == ["hə", "ˈloʊ", "ア", "メ"]
    word = reading.find_word(1)
    assert word is not None
    assert (reading.text[word.start : word.end], word.first_mora, word.end_mora) == ("Hello", 0, 2)
    assert count_moras(word.phones) == 2


def test_a_damaged_dictionary_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "readings").mkdir()
    (tmp_path / ENGLISH_WORDS_FILE).write_bytes(b"no archive")
    monkeypatch.setattr(user_lexicon, "find_resources_dir", lambda: tmp_path)
    user_lexicon.load_english_dictionary.cache_clear()
    with pytest.raises(InternalError):
        user_lexicon.load_english_dictionary()
    user_lexicon.load_english_dictionary.cache_clear()
