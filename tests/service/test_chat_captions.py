"""Captions of the chat reader: the board, its file, and the page, which no other page may read."""

import json
import shutil
import subprocess
import threading
import time
from collections.abc import Iterator
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path

import pytest

from app.common.errors import AppError
from app.service.chat import chat_server
from app.service.chat.caption_page import CAPTION_PAGE, CAPTION_SCRIPT
from app.service.chat.chat_captions import CAPTION_FILE_NAME, CaptionBoard, CaptionFile
from app.service.chat.chat_protocol import ChatTalk
from app.service.chat.chat_queue import ChatQueue, ChatRules
from app.service.chat.chat_server import MAX_HELD_PAGES, ChatServer

LIMIT_S = 20.0
HOSTILE = ChatTalk("<b>太郎</b>：😀<script>alert(1)</script>", writer="<b>太郎</b>", name_length=10)


@pytest.fixture
def board() -> CaptionBoard:
    made = CaptionBoard()
    made.choose_readers(is_served=True, folder="")
    return made


@pytest.fixture
def server(board: CaptionBoard) -> Iterator[ChatServer]:
    made = ChatServer(ChatQueue(ChatRules()), 0, 0, frozenset({"http://overlay.example"}), board)
    yield made
    made.stop_server()


def ask(server: ChatServer, path: str, headers: dict[str, str] | None = None, method: str = "GET") -> tuple[HTTPResponse, bytes]:
    connection = HTTPConnection("127.0.0.1", server.http_port, timeout=LIMIT_S)
    connection.request(method, path, headers=headers or {})
    response = connection.getresponse()
    content = response.read()
    connection.close()
    return response, content


def test_the_page_may_run_its_own_script_alone(server: ChatServer) -> None:
    response, content = ask(server, "/captions")
    assert (response.status, content) == (200, CAPTION_PAGE)
    assert response.getheader("Content-Type") == "text/html; charset=utf-8"
    policy = response.getheader("Content-Security-Policy")
    assert policy is not None
    for rule in ("default-src 'none'", "script-src 'sha256-", "frame-ancestors 'none'", "connect-src 'self'"):
        assert rule in policy
    assert "unsafe-inline" not in policy.split("style-src")[0]
    assert response.getheader("Cross-Origin-Resource-Policy") == "same-origin"
    assert response.getheader("Access-Control-Allow-Origin") is None


@pytest.mark.parametrize("path", ["/captions", "/captions/now"])
def test_nobody_else_reads_captions(server: ChatServer, board: CaptionBoard, path: str) -> None:
    board.show_talk(HOSTILE)
    trusted = {"Origin": "http://overlay.example", "Sec-Fetch-Site": "cross-site"}  # for comments, not for captions
    refused = (
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        trusted,
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    )
    for headers in (*refused, {"Host": "evil.example"}, {"Host": "127.0.0.1:1"}):
        response, content = ask(server, path, headers)
        assert (response.status, content) == (403, b"")
    assert ask(server, path, {"Sec-Fetch-Site": "same-origin"})[0].status == 200
    assert ask(server, path, method="POST")[0].status == 405
    assert ask(server, "/captions/now?after=x")[0].status == 400
    board.choose_readers(is_served=False, folder="")
    assert ask(server, path)[0].status == 404


def test_the_page_learns_at_once_what_is_heard(server: ChatServer, board: CaptionBoard) -> None:
    def ask_after(version: int) -> dict[str, object]:
        answer: dict[str, object] = json.loads(ask(server, f"/captions/now?after={version}")[1])
        return answer

    first = ask_after(-1)
    assert first == {"version": board.state.version, "who": "", "text": "", "word": [0, 0]}
    answers: list[dict[str, object]] = []
    asking = threading.Thread(target=lambda: answers.append(ask_after(board.state.version)))
    asking.start()
    time.sleep(0.1)
    board.show_talk(HOSTILE, (11, 12))
    asking.join(LIMIT_S)
    assert answers == [{"version": board.state.version, "who": "<b>太郎</b>", "text": "😀<script>alert(1)</script>", "word": [1, 2]}]
    board.show_talk(HOSTILE, (3, 5))
    assert ask_after(-1)["word"] == [0, 0]  # the name sounds
    board.show_talk(None)
    assert ask_after(-1)["text"] == ""


def test_pages_that_wait_take_no_turn_from_comments(server: ChatServer, board: CaptionBoard, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chat_server, "CAPTION_HOLD_S", 1.0)
    path = f"/captions/now?after={board.state.version}"
    threads = [threading.Thread(target=ask, args=(server, path)) for _ in range(3 * MAX_HELD_PAGES)]
    for thread in threads:
        thread.start()
    assert ask(server, "/GetTalkTaskCount")[0].status == 200
    for thread in threads:
        thread.join(LIMIT_S)
        assert not thread.is_alive()


def wait_for_content(file: Path, text: str) -> None:
    end = time.monotonic() + LIMIT_S
    while not (file.is_file() and file.read_text(encoding="utf-8") == text):
        assert time.monotonic() < end
        time.sleep(0.01)


def test_the_file_holds_what_is_heard_and_nothing_afterwards(board: CaptionBoard, tmp_path: Path) -> None:
    failures: list[AppError] = []
    own, other = tmp_path / "own" / CAPTION_FILE_NAME, tmp_path / "other" / CAPTION_FILE_NAME
    for file in (own, other):
        file.parent.mkdir()
    own.write_text("left by a program that was killed", encoding="utf-8")
    captions = CaptionFile(board, failures.append)
    board.choose_readers(is_served=False, folder=str(own.parent))
    wait_for_content(own, "")
    board.show_talk(HOSTILE)
    wait_for_content(own, HOSTILE.text)
    board.choose_readers(is_served=False, folder=str(other.parent))
    wait_for_content(other, HOSTILE.text)
    assert own.read_text(encoding="utf-8") == ""
    board.show_talk(None)
    wait_for_content(other, "")
    board.show_talk(HOSTILE)
    wait_for_content(other, HOSTILE.text)
    captions.close()
    assert other.read_text(encoding="utf-8") == ""
    assert not failures
    assert sorted(item.name for item in tmp_path.rglob("*") if item.is_file()) == [CAPTION_FILE_NAME] * 2


def test_a_folder_that_takes_no_file_is_said_once(board: CaptionBoard, tmp_path: Path) -> None:
    failures: list[AppError] = []
    (tmp_path / "file").write_text("mine", encoding="utf-8")
    captions = CaptionFile(board, failures.append)
    board.choose_readers(is_served=False, folder=str(tmp_path / "file"))
    for number in range(3):
        board.show_talk(ChatTalk(f"{number}"))
        time.sleep(0.05)
    captions.close()
    assert len(failures) == 1
    assert (tmp_path / "file").read_text(encoding="utf-8") == "mine"


PAGE_IN_NODE = """
const made = {}, asked = [], shown = [];
const element = (id) => made[id] ??= { id, textContent: "", className: "", scrollTop: 9, scrollIntoView() { shown.push("scrolled"); } };
globalThis.document = { getElementById: element };
const answers = ANSWERS;
globalThis.setTimeout = (call) => { queueMicrotask(call); };
globalThis.fetch = async (address) => {
  shown.push(["who", "before", "word", "after"].map((id) => element(id).textContent).join("|"));
  asked.push(address);
  const next = answers.shift();
  if (next === undefined) { console.log(JSON.stringify({ asked, shown })); process.exit(0); }
  if (next === null) throw new Error("gone");
  return next === 404 ? { ok: false } : { ok: true, json: async () => next };
};
"""


@pytest.mark.skipif(shutil.which("node") is None, reason="the script of the page runs in Node.js")
def test_the_script_shows_words_as_text_and_goes_dark_without_the_program() -> None:
    state = {"version": 3, "who": "<i>太郎", "text": "😀今日は<b>", "word": [1, 3]}
    answers = [state, state, None, {**state, "word": [0, 0]}, 404]
    program = PAGE_IN_NODE.replace("ANSWERS", json.dumps(answers)) + CAPTION_SCRIPT
    done = subprocess.run(["node", "-e", program], capture_output=True, text=True, encoding="utf-8", timeout=60, check=True)
    found = json.loads(done.stdout)
    spoken, plain = "<i>太郎|😀|今日|は<b>", "<i>太郎|||😀今日は<b>"
    assert [item for item in found["shown"] if item != "scrolled"] == ["|||", spoken, spoken, "|||", plain, "|||"]
    assert found["shown"].count("scrolled") == 1
    assert [address.rpartition("=")[2] for address in found["asked"]] == ["-1", "3", "3", "-1", "3", "-1"]
    assert "innerHTML" not in CAPTION_SCRIPT
