"""The switch of the service: other programs are served by the window's own voices, behind what the user hears."""

import json
import socket
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
from pytestqt.qtbot import QtBot

from app.engine.synthesis_jobs import ComputeJob, Importance
from app.service import routes_query
from app.service.request_log import RequestRecord
from app.settings.user_settings import Settings
from app.ui.service.service_controller import ServiceDialog
from app.ui.settings.settings_dialog import SettingsDialog
from tests.ui.conftest import WAIT_MS, OpenWindow, wait_idle, write
from tests.ui.window_driver import WindowDriver

T = TypeVar("T")


@pytest.fixture
def port() -> int:
    """A free one."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def asked(url: str, body: dict[str, object] | None = None) -> bytes:
    content = None if body is None else json.dumps(body).encode()
    with urlopen(Request(url, content), timeout=30) as answer:
        return bytes(answer.read())


def meanwhile(qtbot: QtBot, work: Callable[[], T]) -> T:
    """The result of what other threads do while the window runs."""
    with ThreadPoolExecutor(1) as thread:
        result = thread.submit(work)
        qtbot.waitUntil(result.done, timeout=WAIT_MS)
        return result.result()


def serving(qtbot: QtBot, window: WindowDriver) -> str:
    qtbot.waitUntil(lambda: bool(window.service.url), timeout=WAIT_MS)
    return window.service.url


def test_nothing_is_imported_until_it_is_switched_on() -> None:
    program = "import sys; import app.ui.shell.main_window; print([name for name in sys.modules if name.split('.')[0] in ('starlette', 'uvicorn') or name.startswith('app.service')])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, env=None)
    assert done.stdout.strip() == "[]"


def test_switched_on_and_off(qtbot: QtBot, open_window: OpenWindow, port: int) -> None:
    window = open_window(Settings(text="", service_port=port))
    assert not window.is_made("service")
    window.settings.change_settings(service=True)
    url = serving(qtbot, window)
    assert url == f"http://127.0.0.1:{port}"
    assert window.service.button.isVisible()
    assert str(port) in window.service.button.text()
    sound = meanwhile(qtbot, lambda: asked(f"{url}/v1/speak", {"text": "はい、聞こえています。"}))
    assert sound[:4] == b"RIFF"
    with pytest.raises(HTTPError, match="403") as refused:
        meanwhile(qtbot, lambda: asked(f"{url}/user_dict_word?surface=a&pronunciation=ア&accent_type=0".replace("ア", "%E3%82%A2"), {}))
    refused.value.close()
    style = json.loads(meanwhile(qtbot, lambda: asked(f"{url}/speakers")))[0]["styles"][0]["id"]
    assert json.loads(meanwhile(qtbot, lambda: asked(f"{url}/is_initialized_speaker?speaker={style}"))) is True
    assert len(window.speech_engine.voices.speakers) == 1  # the voice of the window, not another one
    window.service.button.click()
    dialog = window.service.dialog
    assert dialog is not None
    qtbot.waitUntil(lambda: dialog.requests.rowCount() == 4, timeout=WAIT_MS)
    assert [dialog.requests.item(3, column).text() for column in (1, 2, 3)] == ["POST /v1/speak", "はい、聞こえています。", "Done"]
    assert dialog.address.text() == url
    window.settings.change_settings(service=False)
    qtbot.waitUntil(lambda: not window.service.url, timeout=WAIT_MS)
    assert not window.service.button.isVisible()
    with socket.socket() as own:
        assert own.connect_ex(("127.0.0.1", port)) != 0


def test_remembered_and_ended_with_the_window(qtbot: QtBot, open_window: OpenWindow, port: int) -> None:
    """The next start serves again; a client that is connected does not keep the window from closing."""
    window = open_window(Settings(text="", service=True, service_port=port))
    url = serving(qtbot, window)
    text = "ウィンドウを閉じるまで続く、とても長い文です。" * 80
    begun = threading.Event()

    def listen() -> object:
        begun.set()
        with pytest.raises(OSError):  # noqa: PT011  # whichever way the system puts it
            return asked(f"{url}/v1/speak", {"text": text, "format": "flac"})
        return None

    with ThreadPoolExecutor(1) as thread:
        client = thread.submit(listen)
        qtbot.waitUntil(lambda: window.speech_engine.is_serving, timeout=WAIT_MS)
        window.close()
        client.result(20)


@pytest.mark.parametrize("closing", [pytest.param(False, id="switched off"), pytest.param(True, id="closed")])
def test_clients_that_are_connected_hold_up_nothing(
    qtbot: QtBot, open_window: OpenWindow, port: int, monkeypatch: pytest.MonkeyPatch, closing: bool
) -> None:
    """Idle connections, an unread stream, a request inside a graph, and a sound that another thread is still converting."""
    converting, go_on, spoken = threading.Event(), threading.Event(), []
    monkeypatch.setattr(routes_query, "join_wavs", lambda _waves: (converting.set(), go_on.wait(60)))
    window = open_window(Settings(text="", service=True, service_port=port))
    url = serving(qtbot, window)
    (thread,) = (one for one in threading.enumerate() if one.name == "service")
    text = "ウィンドウを閉じるまで続く、とても長い文です。" * 60
    held = meanwhile(qtbot, lambda: connections(url, text))
    worker = window.speech_engine
    monkeypatch.setattr(
        worker.voices, "terminate_graphs", lambda: (spoken.append(worker.current), type(worker.voices).terminate_graphs(worker.voices))
    )
    qtbot.waitUntil(lambda: converting.is_set() and worker.is_serving, timeout=WAIT_MS)
    if closing:
        window.close()
    else:
        window.settings.change_settings(service=False)
        qtbot.waitUntil(lambda: not window.service.url, timeout=WAIT_MS)
    assert not thread.is_alive()  # it waits neither for the conversion nor until anybody reads
    assert any(isinstance(job, ComputeJob) and job.importance is Importance.SERVED for job in spoken)  # a graph was stopped
    assert not go_on.is_set()
    go_on.set()
    for connection in held:
        connection.close()
    if not closing:
        wait_idle(qtbot, window)
        window.settings.change_settings(service=True)  # the port is free again, and the voice speaks
        url = serving(qtbot, window)
        sound = meanwhile(qtbot, lambda: asked(f"{url}/v1/speak", {"text": "はい。"}))
        assert sound[:4] == b"RIFF"


def connections(url: str, text: str) -> list[socket.socket]:
    """The connections, once each is being served."""
    host, held = url.removeprefix("http://"), []
    for target, body, begins in (
        ("/version", "", b"HTTP/1.1 200"),
        ("", "", b""),
        ("/v1/speak", json.dumps({"text": text, "format": "pcm", "rate": 192000, "stereo": True}), b"HTTP/1.1 200"),
        ("/v1/speak", json.dumps({"text": text, "format": "flac"}), b""),
        ("/connect_waves", "[]", b""),
    ):
        own = socket.create_connection(("127.0.0.1", int(host.rpartition(":")[2])), timeout=60)
        held.append(own)
        if target:
            head = f"{'POST' if body else 'GET'} {target} HTTP/1.1\r\nHost: {host}\r\nContent-Length: {len(body)}\r\n\r\n"
            own.sendall((head + body).encode())
        if begins:
            assert own.recv(12) == begins
    return held


def test_what_is_heard_goes_first(qtbot: QtBot, open_window: OpenWindow, port: int) -> None:
    window = open_window(Settings(text="", service=True, service_port=port))
    url = serving(qtbot, window)
    write(window, "窓の音が先です。")
    text = "ほかのソフトからの長い文は、窓の音を待ちます。" * 30
    with ThreadPoolExecutor(1) as thread:
        client = thread.submit(asked, f"{url}/v1/speak", {"text": text, "format": "flac"})
        qtbot.waitUntil(lambda: window.speech_engine.is_serving, timeout=WAIT_MS)
        window.play_commands.play_or_stop()
        qtbot.waitUntil(
            lambda: window.history.last is not None and window.history.last.first_audio_ms is not None,
            timeout=WAIT_MS,
        )
        assert not client.done()
        qtbot.waitUntil(client.done, timeout=WAIT_MS * 3)
        assert client.result()[:4] == b"fLaC"
    wait_idle(qtbot, window)


def test_a_port_that_is_taken(qtbot: QtBot, open_window: OpenWindow, port: int) -> None:
    with socket.socket() as holder:
        holder.bind(("127.0.0.1", port))
        holder.listen()
        window = open_window(Settings(text="", service=True, service_port=port))
        qtbot.waitUntil(lambda: "not running" in window.service.button.text(), timeout=WAIT_MS)
        assert window.banner.isVisible()
        assert "another program is using it" in window.banner.message.text()
    window.settings.change_settings(service_changes=True)
    assert serving(qtbot, window)
    assert not window.banner.isVisible(), "what it said is over"


def test_a_page_that_the_settings_name_may_use_it(qtbot: QtBot, open_window: OpenWindow, port: int) -> None:
    window = open_window(Settings(text="", service=True, service_port=port))
    url = serving(qtbot, window)
    page = Request(f"{url}/version", headers={"Origin": "https://overlay.example", "Sec-Fetch-Site": "cross-site"})

    def ask() -> int:
        try:
            with urlopen(page, timeout=30) as answer:
                return int(answer.status)
        except HTTPError as error:
            with error:
                return error.code

    assert meanwhile(qtbot, ask) == 403
    window.settings.change_settings(service_origins="http://localhost:1, https://Overlay.example/")
    qtbot.waitUntil(lambda: window.service.status == f"Listening on 127.0.0.1:{port}", timeout=WAIT_MS)
    assert meanwhile(qtbot, ask) == 200


def test_the_settings_show_what_listens(qtbot: QtBot, open_window: OpenWindow, port: int) -> None:
    window = open_window(Settings(text="", service_port=port))
    window.window_actions["settings"].trigger()
    dialog = window.dialogs.shown
    assert isinstance(dialog, SettingsDialog)
    assert {name: label.text() for name, label in dialog.statuses.items()} == {"service": "Off", "chat_reader": "Off"}
    window.settings.change_settings(service=True)
    qtbot.waitUntil(lambda: dialog.statuses["service"].text() == f"Listening on 127.0.0.1:{port}", timeout=WAIT_MS)
    dialog.reject()
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        window.settings.change_settings(service_port=other.getsockname()[1])
        qtbot.waitUntil(lambda: "not running" in window.service.button.text(), timeout=WAIT_MS)
    window.window_actions["settings"].trigger()
    again = window.dialogs.shown
    assert isinstance(again, SettingsDialog)
    assert "another program is using it" in again.statuses["service"].text()


def test_the_settings_have_a_page_of_it(qtbot: QtBot) -> None:
    dialog = SettingsDialog(Settings(), [], {})
    qtbot.addWidget(dialog)
    dialog.show()
    dialog.tabs.setCurrentIndex(2)
    dialog.controls["service"].setChecked(True)  # type: ignore[union-attr]
    assert dialog.changes == {"service": True}


def test_a_long_path_hides_nothing_else(qtbot: QtBot) -> None:
    dialog = ServiceDialog()
    qtbot.addWidget(dialog)
    dialog.show_state("http://127.0.0.1:25850", [RequestRecord(1e9, "GET", "/a" * 200, 404, 41.0, "はい。", "curl")])
    with qtbot.waitExposed(dialog):
        dialog.show()
    table = dialog.requests
    assert not table.horizontalScrollBar().maximum()
    assert all(table.columnWidth(column) > 40 for column in range(table.columnCount()))
    path = table.item(0, 1)
    assert path is not None
    assert "/a" * 200 in path.toolTip()
