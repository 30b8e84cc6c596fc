"""The chat reader: bytes in the forms that clients may write them, the rules of the queue, and the guard of both ports."""

import contextlib
import http.client
import json
import socket
import struct
import time
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.common.errors import InputError
from app.core.synthesis_types import BOUNDS, check_request
from app.service.chat import chat_server
from app.service.chat.chat_protocol import (
    MAX_TEXT_BYTES,
    ChatCommand,
    ChatMessage,
    ChatMessageParser,
    ChatProtocolError,
    ChatTalk,
)
from app.service.chat.chat_queue import MAX_RECORDS, ChatOutcome, ChatQueue, ChatRules
from app.service.chat.chat_server import MAX_CONNECTIONS, MAX_WAITING_CONNECTIONS, ChatServer, TalkRefusalError, parse_head, parse_request
from app.service.chat.chat_voices import build_chat_request, fold_writer_name, may_have_voice, parse_chat_voices, replace_chat_voice

# By the pieces in which they reach the socket. Those with a project's name send what its public source writes, byte for byte; the others
# are built after the protocol in ways that are usual.
CLIENTS = {
    # Node.js, yudukiak/DiSpeak: one buffer, and the connection stays open until the server closes it.
    "DiSpeak": ([bytes.fromhex("0100 ffff ffff ffff 0000 00 09000000") + "テスト".encode()], ChatTalk("テスト")),
    # C#, nenohi/MisskeyLiveCommentViewer: a BinaryWriter over the socket, so that each number is a packet of its own; voice 1.
    "MisskeyLiveCommentViewer": (
        [
            *(bytes.fromhex(piece) for piece in ("0100", "ffff", "ffff", "ffff", "0100", "00", "0c000000")),
            "コメント".encode(),
        ],
        ChatTalk("コメント", voice=1),
    ),
    # Ruby, memaizaka/cavetube_bouyomi: the header in one packet, the text in another.
    "cavetube_bouyomi": ([bytes.fromhex("0100ffffffffffff0000 00 06000000"), "読む".encode()], ChatTalk("読む")),
    # C++, the sample that comes with the protocol: Shift_JIS.
    "BouyomiChanSample": (
        [bytes.fromhex("0100 ffff ffff ffff 0000 02 0c000000"), "テストでーす".encode("cp932")],
        ChatTalk("テストでーす"),
    ),
    # Python: one struct of unsigned numbers, -1 as 65535, and the text behind it in one call.
    "python": ([struct.pack("<HHHHHBI", 1, 0xFFFF, 0xFFFF, 0xFFFF, 0, 0, 15) + "こんにちは".encode()], ChatTalk("こんにちは")),
    # Node.js: a buffer for the header and one for the text, with a voice of the viewer's own choice.
    "node": (
        [bytes.fromhex("0100 6400 6400 3200 0200 00 09000000"), "テスト".encode()],
        ChatTalk("テスト", speed=100, tone=100, volume=50, voice=2),
    ),
    # C#: a BinaryWriter, each number in a packet of its own; SAPI5 voices begin at 10001.
    "c#": (
        [
            *(struct.pack("<h", number) for number in (1, -1, -1, -1, 10001)),
            b"\x00",
            struct.pack("<i", 6),
            "読む".encode(),
        ],
        ChatTalk("読む", voice=10001),
    ),
    # Older viewers write Shift_JIS, and some end the text as C does.
    "shift_jis": ([struct.pack("<hhhhhbi", 1, -1, -1, -1, 1, 2, 7), "ｺﾒ表示\0".encode("cp932")], ChatTalk("ｺﾒ表示", voice=1)),
    "utf-16": ([struct.pack("<hhhhhbi", 1, -1, -1, -1, 0, 1, 6) + "絵😀".encode("utf-16-le")], ChatTalk("絵😀")),
}


@pytest.mark.parametrize("name", CLIENTS)
def test_the_forms_of_clients(name: str) -> None:
    pieces, talk = CLIENTS[name]
    parser = ChatMessageParser()
    assert [message for piece in pieces for message in parser.parse_bytes(piece)] == [ChatMessage(ChatCommand.TALK, talk)]
    assert parser.has_only_whole_messages


def pack(talk: ChatTalk) -> bytes:
    text = talk.text.encode()
    return struct.pack("<hhhhhbi", 1, talk.speed, talk.tone, talk.volume, talk.voice, 0, len(text)) + text


NUMBERS = st.integers(-(1 << 15), (1 << 15) - 1)
TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=60)
TALKS = st.builds(ChatTalk, TEXTS, NUMBERS, NUMBERS, NUMBERS, NUMBERS)
MESSAGES = st.lists(st.one_of(TALKS, st.sampled_from([command for command in ChatCommand if command is not ChatCommand.TALK])), max_size=6)


@given(MESSAGES, st.lists(st.integers(1, 40), min_size=1, max_size=8))
def test_it_does_not_matter_how_messages_are_cut(messages: list[ChatTalk | ChatCommand], sizes: list[int]) -> None:
    data = b"".join(pack(one) if isinstance(one, ChatTalk) else struct.pack("<h", one) for one in messages)
    parser, found, turn = ChatMessageParser(), [], 0
    while data:
        size = sizes[turn % len(sizes)]
        found += parser.parse_bytes(data[:size])
        data, turn = data[size:], turn + 1
    assert [message.talk or message.command for message in found] == messages


@given(st.binary(max_size=200))
def test_any_bytes_are_commands_or_refused(data: bytes) -> None:
    try:
        messages = list(ChatMessageParser().parse_bytes(data))
    except ChatProtocolError:
        return
    assert all(isinstance(message, ChatMessage) for message in messages)


@pytest.mark.parametrize("length", [-1, MAX_TEXT_BYTES + 1, 0x7FFFFFFF])
def test_a_length_that_cannot_be_is_refused_at_once(length: int) -> None:
    with pytest.raises(ChatProtocolError):
        list(ChatMessageParser().parse_bytes(struct.pack("<hhhhhbi", 1, -1, -1, -1, 0, 0, length)))


def test_a_text_that_cannot_be_decoded_is_left_out_alone() -> None:
    damaged = struct.pack("<hhhhhbi", 1, -1, -1, -1, 0, 0, 2) + b"\xff\xfe"
    unknown_set = struct.pack("<hhhhhbi", 1, -1, -1, -1, 0, 9, 1) + b"a"
    messages = ChatMessageParser().parse_bytes(damaged + unknown_set + pack(ChatTalk("はい")))
    assert [message.talk for message in messages] == [None, None, ChatTalk("はい")]


@given(TALKS)
def test_every_delivery_is_within_bounds(talk: ChatTalk) -> None:
    request = build_chat_request(ChatTalk("あ", talk.speed, talk.tone, talk.volume), "chat")
    check_request(request)
    assert BOUNDS["speed"].low <= request.speed <= BOUNDS["speed"].high


def test_numbers_mean_what_the_sender_meant() -> None:
    plain, usual, high = (build_chat_request(ChatTalk("あ", *numbers), "") for numbers in ((), (100, 100, 100), (150, 112, 50)))
    assert (plain.speed, plain.pitch, plain.volume) == (usual.speed, usual.pitch, usual.volume) == (1.0, 0.0, 1.0)
    assert (high.speed, high.volume) == (1.5, 0.5)
    assert high.pitch == pytest.approx(1.96, abs=0.01)


def queued(rules: ChatRules, *texts: str) -> list[str]:
    queue = ChatQueue(rules)
    for text in texts:
        queue.handle_message(ChatMessage(ChatCommand.TALK, ChatTalk(text)))
    return [talk.text for talk in iter(queue.take_talk, None)]


def test_the_rules_of_the_queue() -> None:
    assert queued(ChatRules(max_waiting=2), "一", "二", "三") == ["二", "三"]
    assert queued(ChatRules(is_latest_only=True), "一", "二") == ["二"]
    assert queued(ChatRules(), "やあ https://example.com/a?b=c 見て", "https://example.com") == ["やあ 見て"]
    assert queued(ChatRules(skips_links=False), "https://example.com") == ["https://example.com"]
    assert queued(ChatRules(), "草", "草", "はい", "草") == ["草", "はい", "草"]
    assert queued(ChatRules(skips_repeats=False), "草", "草") == ["草", "草"]
    named = ("太郎さん：こんにちは", "user_1: 初見です", "12:30 に始まります", "そうか。例: これ", "例：")
    assert queued(ChatRules(), *named) == list(named)
    assert queued(ChatRules(reads_names=False), *named) == ["こんにちは", "初見です", *named[2:]]
    assert queued(ChatRules(muted_writers=frozenset({"太郎"})), *named) == list(named[1:])
    assert queued(ChatRules(), "太郎：https://example.com", "太郎：見て https://example.com") == ["太郎：見て"]
    assert queued(ChatRules(), "太郎：８８８８", "花子: 888", "8888") == ["太郎： ８８８８", "花子: 888", "8888"]


def add_talk(queue: ChatQueue, text: str) -> None:
    queue.handle_message(ChatMessage(ChatCommand.TALK, ChatTalk(text)))


def list_outcomes(queue: ChatQueue) -> list[tuple[str, ChatOutcome]]:
    """Return what became of the last comments, the oldest first."""
    return [(record.talk.words, record.outcome) for record in reversed(queue.take_snapshot().finished)]


def test_what_became_of_each_comment_is_remembered() -> None:
    queue = ChatQueue(ChatRules(max_waiting=2, muted_writers=frozenset({"荒らし"})))
    for text in ("荒らし：やあ", "https://example.com", " \u200b", "一", "一", "二", "三"):
        add_talk(queue, text)
    assert queue.take_talk() == ChatTalk("二")
    queue.finish_talk(ChatOutcome.SKIPPED)
    add_talk(queue, "花子：四")
    queue.remove_talk(next(talk.number for talk in queue.take_snapshot().waiting if talk.text == "三"))
    queue.replace_rules(ChatRules(is_latest_only=True, writer_voices={"花子": "Mei"}))
    assert [talk.voice_name for talk in queue.take_snapshot().waiting] == ["Mei"]
    queue.remove_talk(10_000)
    add_talk(queue, "五")
    queue.take_talk()
    add_talk(queue, "太郎：六")
    queue.return_talk(ChatTalk("五"))
    queue.replace_rules(ChatRules(muted_writers=frozenset({"太郎"})))
    assert list_outcomes(queue) == [
        ("やあ", ChatOutcome.MUTED),
        ("https://example.com", ChatOutcome.LINK),
        ("一", ChatOutcome.REPEAT),
        ("一", ChatOutcome.OVERFLOW),
        ("二", ChatOutcome.SKIPPED),
        ("三", ChatOutcome.REMOVED),
        ("四", ChatOutcome.REPLACED),
        ("五", ChatOutcome.REPLACED),
        ("六", ChatOutcome.MUTED),
    ]
    assert queue.take_snapshot().waiting == ()


def test_a_flood_is_bounded() -> None:
    queue = ChatQueue(ChatRules(max_waiting=5))
    for number in range(10_000):
        add_talk(queue, f"{number}{'長' * 1_000}")
    snapshot = queue.take_snapshot()
    assert (len(snapshot.waiting), len(snapshot.finished)) == (5, MAX_RECORDS)
    assert [talk.number for talk in snapshot.waiting] == [9_996, 9_997, 9_998, 9_999, 10_000]


def test_hidden_letters_change_no_order_and_hide_no_name() -> None:
    rules = ChatRules(muted_writers=frozenset({"荒らし"}))
    turned, _ = rules.apply_to(ChatTalk("\u202e<b>太郎</b>\u2066さん：\u202eやあ\x00\r\nまた <img src=x>"), "")
    assert (turned.writer, turned.words) == ("<b>太郎</b>", "やあ また <img src=x>")
    assert rules.apply_to(ChatTalk("荒\u200bらし\u202c：やあ"), "")[1] is ChatOutcome.MUTED
    long, _ = rules.apply_to(ChatTalk("名" * 1_000 + "：やあ"), "")
    assert (long.writer, len(long.text)) == ("", 1_000)
    assert rules.apply_to(ChatTalk("さん：やあ"), "")[0].writer == ""


def test_a_voice_is_chosen_by_number_and_by_the_writers_name() -> None:
    numbers, writers = parse_chat_voices("1=mei; 2 = Rin/Happy；太郎さん=つくよみ\n10001=つくよみ; ＡＢＣ_1=mei; 1234567=x; =y; z=")
    assert numbers == {1: "mei", 2: "Rin/Happy", 10001: "つくよみ"}
    assert writers == {"太郎": "つくよみ", "abc_1": "mei"}
    for rules in (ChatRules(writer_voices=writers), ChatRules(writer_voices=writers, reads_names=False)):
        spoken = [rules.apply_to(ChatTalk(text, voice=1), "") for text in ("太郎さん：やあ", "abc_1: はい", "花子：やあ", "太郎、やあ")]
        assert [talk.voice_name for talk, _ in spoken] == ["つくよみ", "mei", "", ""]
    assert fold_writer_name(" Ｔaroさん") == "taro"


VOICE_NAMES = st.text(st.sampled_from("Mei/つ ＝=（1)&<"), min_size=1, max_size=12).map(str.strip).filter(bool)
WRITERS = st.text(st.sampled_from("太郎Ｔaさんー_1２²=＝;；&<'"), max_size=12)
VOICE_LISTS = st.lists(st.one_of(st.builds("{}={}".format, WRITERS, VOICE_NAMES), st.text(max_size=8)), max_size=6).map("; ".join)


@given(VOICE_LISTS, WRITERS, VOICE_NAMES)
def test_one_entry_of_the_voices_is_replaced_and_the_others_stay(text: str, who: str, voice: str) -> None:
    if not may_have_voice(who):
        with pytest.raises(InputError):
            replace_chat_voice(text, who, voice)
        return
    numbers, writers = parse_chat_voices(text)
    own, key = ({int(who): voice}, int(who)) if who.isdigit() else ({fold_writer_name(who): voice}, fold_writer_name(who))
    chosen = replace_chat_voice(text, who, voice)
    assert parse_chat_voices(chosen) == ((numbers | own, writers) if isinstance(key, int) else (numbers, writers | own))
    assert replace_chat_voice(chosen, who, voice) == chosen
    without = parse_chat_voices(replace_chat_voice(chosen, who, ""))
    assert without == tuple({name: kept for name, kept in voices.items() if name != key} for voices in (numbers, writers))


def test_entries_that_cannot_be_written_are_refused() -> None:
    assert replace_chat_voice("1=mei；太郎=Rin ; ?", "花子", "Mei") == "1=mei; 太郎=Rin; ?; 花子=Mei"
    assert replace_chat_voice("太郎=Rin; 1=mei; 太郎さん=Mei", "太郎", "つくよみ") == "1=mei; 太郎=つくよみ"
    for who in ("", "さん", "a=b", "a；b", "²", "1234567"):
        assert not may_have_voice(who)
    with pytest.raises(InputError):
        replace_chat_voice("", "太郎", "a;b")
    with pytest.raises(InputError, match="Too many"):
        replace_chat_voice("x=y;" * 1_100, "太郎", "Mei")


@pytest.mark.parametrize(
    ("rules", "expected"),
    [
        (ChatRules(), ["一", "二"]),
        (ChatRules(max_waiting=1), ["二"]),
        (ChatRules(is_latest_only=True), ["二"]),
    ],
)
def test_a_comment_that_was_cut_off_comes_first_again_if_there_is_room(rules: ChatRules, expected: list[str]) -> None:
    queue = ChatQueue(rules)
    queue.handle_message(ChatMessage(ChatCommand.TALK, ChatTalk("一")))
    talk = queue.take_talk()
    assert talk is not None
    assert queue.is_playing
    queue.handle_message(ChatMessage(ChatCommand.TALK, ChatTalk("二")))
    queue.return_talk(talk)
    assert not queue.is_playing
    assert [one.text for one in iter(queue.take_talk, None)] == expected


def exchange(port: int, data: bytes) -> bytes:
    """All that comes back until the server closes."""
    with socket.create_connection(("127.0.0.1", port), timeout=10) as own:
        answer = b""
        # A server that closes at once may have done so before all is sent; the system then calls it a reset, a pipe or no connection.
        with contextlib.suppress(OSError):
            own.sendall(data)
            own.shutdown(socket.SHUT_WR)
        with contextlib.suppress(ConnectionResetError):
            while piece := own.recv(4096):
                answer += piece
        return answer


@pytest.fixture
def queue() -> ChatQueue:
    return ChatQueue(ChatRules())


@pytest.fixture
def server(queue: ChatQueue) -> Iterator[ChatServer]:
    made = ChatServer(queue, 0, 0, frozenset({"http://overlay.example"}))
    yield made
    made.stop_server()


def ask_http(server: ChatServer, target: str, *headers: str, method: str = "GET", host: str = "") -> int:
    head = [f"{method} {target} HTTP/1.1", f"Host: {host or f'127.0.0.1:{server.http_port}'}", *headers]
    return int(exchange(server.http_port, ("\r\n".join(head) + "\r\n\r\n").encode()).split(b" ")[1])


def test_commands_and_questions_over_tcp(server: ChatServer, queue: ChatQueue) -> None:
    skipped: list[bool] = []
    queue.on_skip = lambda: skipped.append(True)
    asked = struct.pack("<hhh", 0x0110, 0x0120, 0x0130)
    assert exchange(server.port, asked) == b"\x00\x00" + struct.pack("<i", 0)
    said = b"".join(pack(ChatTalk(text)) for text in ("一", "二", "三"))
    assert exchange(server.port, said + struct.pack("<h", 0x0010) + asked) == b"\x01\x00" + struct.pack("<i", 3)
    assert queue.take_talk() is None
    assert exchange(server.port, struct.pack("<hh", 0x0020, 0x0030) + asked) == b"\x00\x00" + struct.pack("<i", 3)
    assert skipped == [True]
    assert queue.take_talk() == ChatTalk("一")
    assert exchange(server.port, struct.pack("<h", 0x0040) + asked) == b"\x00\x01" + struct.pack("<i", 0)
    queue.finish_talk()
    assert exchange(server.port, asked)[1] == 0


def test_what_is_no_command_ends_its_connection_only(server: ChatServer, queue: ChatQueue) -> None:
    for data in (b"GET / HTTP/1.1\r\n\r\n", struct.pack("<hhhhhbi", 1, -1, -1, -1, 0, 0, -5), b"\x02\x00", b"\x01"):
        assert exchange(server.port, data) == b""
    assert exchange(server.port, pack(ChatTalk("はい"))) == b""
    assert queue.take_talk(5.0) == ChatTalk("はい")


@pytest.mark.parametrize("stray", [b"\r\n", b"\0\0", struct.pack("<hhhhhbi", 1, -1, -1, -1, 0, 0, -5)])
def test_a_comment_before_stray_bytes_is_kept(server: ChatServer, queue: ChatQueue, stray: bytes) -> None:
    assert exchange(server.port, pack(ChatTalk("はい")) + stray) == b""
    assert queue.take_talk(5.0) == ChatTalk("はい")


def test_a_burst_of_comments_on_connections_that_the_server_closes_is_kept_whole(server: ChatServer, queue: ChatQueue) -> None:
    texts = [f"コメント{number}" for number in range(20)]
    opened = [socket.create_connection(("127.0.0.1", server.port), timeout=10) for _ in texts]
    try:
        for own, text in zip(opened, texts, strict=True):
            own.sendall(pack(ChatTalk(text)))
        for own in opened:
            assert own.recv(1) == b""  # in order, without a reset
    finally:
        for own in opened:
            own.close()
    assert sorted(talk.text for talk in iter(queue.take_talk, None)) == sorted(texts)


def test_a_connection_takes_a_second_command_in_a_packet_of_its_own(server: ChatServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chat_server, "COMMAND_GAP_S", 5.0)
    with socket.create_connection(("127.0.0.1", server.port), timeout=10) as own:
        own.sendall(struct.pack("<h", 0x0110))
        assert own.recv(4) == b"\0"
        own.sendall(struct.pack("<h", 0x0130))
        assert own.recv(4) == struct.pack("<i", 0)


def test_slow_and_many_connections_are_closed(server: ChatServer, queue: ChatQueue, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chat_server, "CONNECTION_LIMIT_S", 0.3)
    count = MAX_CONNECTIONS + MAX_WAITING_CONNECTIONS
    idle = [socket.create_connection(("127.0.0.1", server.port), timeout=10) for _ in range(count)]
    time.sleep(0.05)
    try:
        assert exchange(server.port, struct.pack("<h", 0x0130)) == b""  # one too many
        for one in idle:
            with contextlib.suppress(ConnectionResetError):
                assert one.recv(1) == b""
    finally:
        for one in idle:
            one.close()
    assert exchange(server.port, struct.pack("<h", 0x0130)) == struct.pack("<i", 0)
    assert len(queue) == 0


def test_talk_over_http(server: ChatServer, queue: ChatQueue) -> None:
    target = f"/Talk?text={quote('こんにちは')}&voice=2&volume=50&speed=120&tone=-1"
    assert ask_http(server, target, host=f"localhost:{server.http_port}") == 200
    assert queue.take_talk() == ChatTalk("こんにちは", 120, -1, 50, 2)
    assert ask_http(server, "/Talk?text=a", "Origin: http://overlay.example", "Sec-Fetch-Site: cross-site") == 200
    assert queue.take_talk() == ChatTalk("a")


def test_commands_over_http_answer_as_bouyomi_does(server: ChatServer, queue: ChatQueue) -> None:
    def ask(method: str, path: str, body: str = "", kind: str = "application/x-www-form-urlencoded") -> tuple[int, Any]:
        connection = http.client.HTTPConnection("127.0.0.1", server.http_port, timeout=10)
        connection.request(method, path, body or None, {"Content-Type": kind} if body else {})
        response = connection.getresponse()
        content = response.read()
        connection.close()
        return response.status, json.loads(content) if content else None

    skipped: list[bool] = []
    queue.on_skip = lambda: skipped.append(True)
    queue.replace_rules(ChatRules(voices={3: "Mei"}))
    assert ask("POST", "/talk", "text=" + quote("長い文。" * 400) + "&speed=120") == (200, {"taskId": 1})
    assert ask("GET", "/getTalkTaskCount") == (200, {"talkTaskCount": 1})
    taken = queue.take_talk()
    assert taken is not None
    assert taken.text.startswith("長い文。")
    assert taken.speed == 120
    assert ask("GET", "/GetNowPlaying") == (200, {"nowPlaying": True})
    assert ask("GET", "/pause") == (200, {})
    assert ask("GET", "/getpause") == (200, {"pause": True})
    assert ask("POST", "/resume") == (200, {})
    assert not queue.is_paused
    assert ask("GET", "/Skip") == (200, {})
    assert skipped == [True]
    assert ask("GET", "/talk?text=b") == (200, {"taskId": 2})
    assert ask("GET", "/clear") == (200, {})
    assert len(queue) == 0
    assert [voice["id"] for voice in ask("GET", "/GetVoiceList")[1]["voiceList"]] == [0, 3]
    assert ask("POST", "/talk", '{"text":"a"}', "application/json") == (415, None)
    assert ask("PUT", "/talk?text=a") == (405, None)
    assert ask("POST", "/talk", "speed=1") == (400, None)


@pytest.mark.parametrize(
    ("status", "target", "headers", "host"),
    [
        (403, "/Talk?text=a", (), "evil.example"),
        (403, "/Talk?text=a", (), "127.0.0.1:1"),
        (403, "/Talk?text=a", ("Origin: http://evil.example",), ""),
        (403, "/Talk?text=a", ("Origin: http://localhost:3000",), ""),
        (403, "/Talk?text=a", ("Origin: null",), ""),
        (403, "/Talk?text=a", ("Sec-Fetch-Site: cross-site",), ""),
        (403, "/Talk?text=a", ("Sec-Fetch-Site: same-site",), ""),
        (404, "/talk/more?text=a", (), ""),
        (400, "/Talk", (), ""),
        (400, "/Talk?text=%FF", (), ""),
        (400, "/Talk?text=a&voice=99999", (), ""),
        (400, "/Talk?text=a&voice=١", (), ""),
        (400, "/Talk?text=a", ("no header",), ""),
        (413, "/Talk?text=" + "a" * (3 * MAX_TEXT_BYTES), (), ""),
    ],
)  # fmt: skip
def test_what_http_refuses(server: ChatServer, queue: ChatQueue, status: int, target: str, headers: tuple[str, ...], host: str) -> None:
    assert ask_http(server, target, *headers, host=host) == status
    assert len(queue) == 0


@given(st.binary(max_size=300))
def test_any_head_is_read_or_refused(data: bytes) -> None:
    with contextlib.suppress(TalkRefusalError):  # anything else is a finding
        assert isinstance(parse_request(parse_head(data)), ChatMessage | None)


def test_a_taken_port_is_one_sentence(server: ChatServer) -> None:
    with pytest.raises(InputError, match=str(server.port)) as refused:
        ChatServer(ChatQueue(ChatRules()), server.port, 0)
    assert refused.value.hint
    with pytest.raises(InputError, match=str(server.http_port)):
        ChatServer(ChatQueue(ChatRules()), 0, server.http_port)


def test_it_listens_on_this_computer_alone(server: ChatServer) -> None:
    for port in (server.port, server.http_port):
        with socket.socket() as own:
            own.settimeout(2)
            assert own.connect_ex(("127.0.0.2", port)) != 0
