"""Tags of chats and of HTML, entities, and addresses of pages."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.text.link_reading import LINK_READINGS, LinkReading
from app.core.text.normalise.characters import BOUNDARY_CHAR, PLACEHOLDER
from app.core.text.normalise.unspoken_markup import drop_unspoken, find_unspoken


def left(text: str, links: LinkReading = "host") -> str:
    return " ".join(drop_unspoken(text, links).replace(BOUNDARY_CHAR, "").replace("\n", "/").split())


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("<@987654321098765432> どうも", "どうも"),
        ("<@!987654321098765432>さん", "さん"),
        ("<@&987654321098765432>各位、<#987654321098765432>へ", "各位、へ"),
        ("了解<:ok_hand:987654321098765432>です<a:wave:987654321098765432>", "了解です"),
        ("<t:1700000000:R>から", "から"),
        ("</start now:987654321098765432>を実行", "を実行"),
        ("<@U02ABCDEFGH>さん", "さん"),
        ("一行目<br>二行目", "一行目/二行目"),
        ("終わり。<BR />次", "終わり。次"),
        ("<p>前</p>\n<p>後</p>", "前/後"),
        ("<b>太</b>い<a href='x'>字</a>", "太い字"),
        ("<!-- 下書き -->本文", "本文"),
        ("<style>p{}</style>本文", "本文"),
        ("<!-- <b>下</b> --><SCRIPT a='-->'>f()</script >本<!-- <i>x</i>文", "本<!-- x文"),
        ("<think>考え中</think>答え", "答え"),
        ("<speak>声</speak>と<sprite=0>絵と<break time='1s'/>間", "声と絵と間"),
        ("[b]太い[/b][color=red]赤[/color]字", "太い赤字"),
        ("![猫の写真](https://example.com/cat.png)", "猫の写真"),
        ("[b]と[注]は残る", "[b]と[注]は残る"),
        ("R&amp;B&nbsp;と&#12354;", "R&B とあ"),
        ("3 &lt; 5", "3 < 5"),
    ],
)
def test_tags(text: str, rest: str) -> None:
    assert left(text) == rest


@pytest.mark.parametrize(
    "text",
    ["a<b>c", "A<B", "List<String>", "x < 3 > y", "<@12>", "<3", "AT&T;", "&amp", "<ruby>字<rt>じ</rt></ruby>", "1<2<3", "#タグ", "a:b:c"],
)
def test_formulas_and_other_brackets_stay(text: str) -> None:
    assert left(text) == text


@pytest.mark.parametrize(
    ("text", "host"),
    [
        ("よhttps://koebako.app/a-b?x=1#topで", "よ koebako ドット アップ で"),
        ("http://www.example.com:8080/", "example ドット コム"),
        ("https://ja.example.org/wiki/声優を", "ja ドット example ドット オーグ を"),
        ("(https://a-b.example.com/x)", "( a ハイフン b ドット example ドット コム )"),
        ("<https://example.com/x>も", "example ドット コム も"),
        ("www.example.comへ", "example ドット コム へ"),
        ("bit.ly/3xYz", "bit ドット ly"),
        ("http://192.0.2.7/a", "192.0.2.7"),
    ],
)
def test_links(text: str, host: str) -> None:
    assert left(text) == host
    assert "example" not in left(text, "skip")
    assert left(text, "all") == text


@pytest.mark.parametrize("text", ["example.comで買う", "Node.js/Deno", "and/or", "a@www.example.com", "3.5/2", "Ver.2/3"])
def test_names_and_mail_are_no_links(text: str) -> None:
    assert left(text) == text


@given(
    st.text(f"<>/@#&:;.ahtps wcom123{PLACEHOLDER}あ\n", max_size=30).map(
        lambda text: text.replace("h", "https://").replace("c", ".com/").replace("b", "<br>")
    ),
    st.sampled_from(LINK_READINGS),
)
def test_no_given_reading_is_lost(text: str, links: LinkReading) -> None:
    places = find_unspoken(text, links)
    assert all(PLACEHOLDER not in text[place.start : place.end] for place in places)
    assert drop_unspoken(text, links).count(PLACEHOLDER) == text.count(PLACEHOLDER)
