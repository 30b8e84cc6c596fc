"""The key under Wayland: a portal of our own on a private bus stands for the desktop."""

import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from types import SimpleNamespace

import pytest
from PySide6.QtCore import QObject
from pytestqt.qtbot import QtBot

from app.common.errors import AppError
from app.ui.read_aloud.hotkeys.key_combination import parse_key_combination

pytestmark = [
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="portals are Linux's"),
    pytest.mark.skipif(shutil.which("dbus-daemon") is None, reason="needs dbus-daemon"),
]


@pytest.fixture
def bus(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A session bus of its own."""
    daemon = subprocess.Popen(["dbus-daemon", "--session", "--nofork", "--print-address"], stdout=subprocess.PIPE, text=True)
    assert daemon.stdout is not None
    address = daemon.stdout.readline().strip()
    monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", address)
    yield address
    daemon.terminate()
    daemon.wait(10)
    daemon.stdout.close()


class MockPortal:
    """Answers as the portal's documentation says; `code` 1 is a user who refuses."""

    def __init__(self, code: int = 0) -> None:
        from jeepney import message_bus
        from jeepney.io.blocking import open_dbus_connection

        self.code = code
        self.bound: list[tuple[str, str]] = []
        self.client = self.session = ""
        self.connection = open_dbus_connection("SESSION")
        self.connection.send_and_get_reply(message_bus.RequestName("org.freedesktop.portal.Desktop"))
        self._ended = threading.Event()
        self.thread = threading.Thread(target=self._serve)
        self.thread.start()

    def press(self) -> None:
        self._emit("/org/freedesktop/portal/desktop", "GlobalShortcuts", "Activated", "osta{sv}", (self.session, "read-aloud", 1, {}))

    def end_session(self) -> None:
        self._emit(self.session, "Session", "Closed", "a{sv}", ({},))

    def close(self) -> None:
        self._ended.set()
        self.thread.join()
        self.connection.close()

    def _serve(self) -> None:
        from jeepney import new_method_return

        while not self._ended.is_set():
            try:
                message = self.connection.receive(timeout=0.05)
            except TimeoutError:
                continue
            fields = {field.name: value for field, value in message.header.fields.items()}
            if fields.get("member") not in ("CreateSession", "BindShortcuts"):
                continue
            self.client = fields["sender"]
            token = message.body[-1]["handle_token"][1]
            handle = f"/org/freedesktop/portal/desktop/request/{self.client[1:].replace('.', '_')}/{token}"
            if fields["member"] == "CreateSession":
                self.session = "/org/freedesktop/portal/desktop/session/1/a"
                results = {"session_handle": ("s", self.session)}
                code = 0
            else:
                results, code = {}, self.code
            self.connection.send(new_method_return(message, "o", (handle,)))
            self._emit(handle, "Request", "Response", "ua{sv}", (code, results))
            if fields["member"] == "BindShortcuts":
                self.bound += [(name, details["preferred_trigger"][1]) for name, details in message.body[1]]

    def _emit(self, path: str, interface: str, member: str, signature: str, body: tuple[object, ...]) -> None:
        from jeepney import DBusAddress, HeaderFields, new_signal

        emitter = DBusAddress(path, interface=f"org.freedesktop.portal.{interface}")
        signal = new_signal(emitter, member, signature, body)
        signal.header.fields[HeaderFields.destination] = self.client
        self.connection.send(signal)


@pytest.mark.usefixtures("bus")
def test_the_portal_gives_a_key_and_reports_it(qtbot: QtBot) -> None:
    from app.ui.read_aloud.hotkeys.portal_hotkey import PortalHotkey

    portal, parent = MockPortal(), QObject()
    hotkey = PortalHotkey(parse_key_combination("Ctrl+Alt+R"), parent)
    hotkey.start()
    qtbot.waitUntil(lambda: portal.bound == [("read-aloud", "CTRL+ALT+r")], timeout=10_000)
    with qtbot.waitSignal(hotkey.pressed, timeout=10_000):
        portal.press()
    with qtbot.waitSignal(hotkey.failed, timeout=10_000) as failed:
        portal.end_session()
    assert "taken the read aloud hotkey away" in failed.args[0].message
    hotkey.close()
    portal.close()


@pytest.mark.usefixtures("bus")
def test_a_lost_key_can_be_had_again(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    from app.ui.read_aloud.hotkeys import hotkey_holder

    monkeypatch.setattr(hotkey_holder, "QGuiApplication", SimpleNamespace(platformName=lambda: "wayland"))
    portal, parent = MockPortal(), QObject()
    holder = hotkey_holder.HotkeyHolder(parent)
    holder.choose_key("Ctrl+Alt+R")
    qtbot.waitUntil(lambda: len(portal.bound) == 1, timeout=10_000)
    holder.retry_key()
    with qtbot.waitSignal(holder.failed, timeout=10_000):
        portal.end_session()
    assert len(portal.bound) == 1, "it was held"
    holder.retry_key()
    qtbot.waitUntil(lambda: len(portal.bound) == 2, timeout=10_000)
    with qtbot.waitSignal(holder.pressed, timeout=10_000):
        portal.press()
    holder.close()
    portal.close()


def test_nobody_waits_for_a_slow_desktop(monkeypatch: pytest.MonkeyPatch) -> None:
    from app.ui.read_aloud.hotkeys import portal_hotkey

    asked: list[str] = []
    answer, is_asked = threading.Event(), threading.Event()

    def open_slowly(bus: str) -> None:
        asked.append(bus)
        is_asked.set()
        answer.wait(10)
        raise OSError

    monkeypatch.setattr(portal_hotkey, "open_dbus_connection", open_slowly)
    parent = QObject()
    first, second = (portal_hotkey.PortalHotkey(parse_key_combination("Ctrl+Alt+R"), parent) for _ in range(2))
    first.start()
    is_asked.wait(10)
    first.close()
    assert first.waiting_thread.is_alive(), "the window has not waited"
    second.start()
    second.close()
    second.waiting_thread.join()
    assert asked == ["SESSION"], "a new key is asked for only when the one before is given back"
    answer.set()
    first.waiting_thread.join()


@pytest.mark.usefixtures("bus")
@pytest.mark.parametrize("has_portal", [True, False])
def test_a_refusal_is_one_sentence(qtbot: QtBot, has_portal: bool) -> None:
    from app.ui.read_aloud.hotkeys.portal_hotkey import PortalHotkey

    portal, parent = MockPortal(code=1) if has_portal else None, QObject()
    hotkey = PortalHotkey(parse_key_combination("Ctrl+Alt+R"), parent)
    errors: list[AppError] = []
    hotkey.failed.connect(errors.append)
    hotkey.start()
    qtbot.waitUntil(lambda: bool(errors), timeout=10_000)
    assert ("not allowed" if has_portal else "offers no global hotkeys") in errors[0].message
    hotkey.close()
    if portal is not None:
        portal.close()


def test_without_a_bus_it_says_so(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    from app.ui.read_aloud.hotkeys.portal_hotkey import PortalHotkey

    monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nowhere/bus")
    parent = QObject()
    hotkey = PortalHotkey(parse_key_combination("Ctrl+Alt+R"), parent)
    with qtbot.waitSignal(hotkey.failed, timeout=10_000):
        hotkey.start()
    hotkey.close()
