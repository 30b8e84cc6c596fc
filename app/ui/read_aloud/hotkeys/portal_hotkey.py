"""A key that works in every program under Wayland, by the portal GlobalShortcuts: the desktop asks the user, who may choose another key."""

import itertools
import logging
import os
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from jeepney import DBusAddress, MatchRule, Message, message_bus, new_method_call
from jeepney.io.blocking import DBusConnection, open_dbus_connection
from PySide6.QtCore import QObject, Signal

from app.common.errors import AppError, InputError
from app.common.language import localize
from app.ui.read_aloud.hotkeys.key_combination import KeyCombination

PORTAL = DBusAddress(
    "/org/freedesktop/portal/desktop", bus_name="org.freedesktop.portal.Desktop", interface="org.freedesktop.portal.GlobalShortcuts"
)
REQUEST_INTERFACE = "org.freedesktop.portal.Request"
SESSION_INTERFACE = "org.freedesktop.portal.Session"
SHORTCUT_ID = "read-aloud"
REPLY_TIMEOUT_S = 10.0  # seconds; the second answer comes when the user has agreed to the key
CONSENT_TIMEOUT_S = 300.0
LISTEN_POLL_S = 0.2  # how soon closing is noticed
_tokens = itertools.count(1)
_connection_lock = threading.Lock()


class PortalHotkey(QObject):
    """Holds a key until it is closed; everything that waits for the desktop is done in a thread of its own.

    Signals:
        pressed(): the key was pressed, in whatever program.
        failed(AppError): the desktop has no such portal, the user refused, or the desktop has taken the key away again.
    """

    pressed = Signal()
    failed = Signal(object)

    def __init__(self, combination: KeyCombination, parent: QObject) -> None:
        super().__init__(parent)
        self._combination = combination
        self._close_event = threading.Event()
        self.waiting_thread = threading.Thread(target=self._watch_portal, name="hotkey", daemon=True)

    def start(self) -> None:
        """Begin to ask the desktop for the key."""
        self.waiting_thread.start()

    def close(self) -> None:
        """Give the key back soon, without waiting for the desktop; the session ends with its connection."""
        self._close_event.set()
        if not self.waiting_thread.is_alive():
            self.deleteLater()

    def _watch_portal(self) -> None:
        # An earlier key may still be given back, which would end the new one on desktops that know keys by their program.
        while not _connection_lock.acquire(timeout=LISTEN_POLL_S):
            if self._close_event.is_set():
                break
        else:
            try:
                self._hold_key()
            finally:
                _connection_lock.release()
        if self._close_event.is_set():
            with suppress(RuntimeError):  # the window may be gone, and this with it
                self.deleteLater()

    def _hold_key(self) -> None:
        try:
            with open_dbus_connection("SESSION") as connection:
                session = self._bind_shortcut(connection)
                while not self._close_event.is_set():
                    self._take_signal(connection, session)
        except AppError as error:
            self._report_failure(error)
        # jeepney raises these when the bus is missing, closes the connection or answers nonsense.
        except (OSError, KeyError, ValueError, EOFError) as exc:
            logging.getLogger("koebako").info("no portal of global shortcuts: %s", type(exc).__name__)
            self._report_failure(_create_portal_error())

    def _report_failure(self, error: AppError) -> None:
        if not self._close_event.is_set():
            self.failed.emit(error)

    def _bind_shortcut(self, connection: DBusConnection) -> str:
        """Return the path of a session that has our key."""
        for interface in (REQUEST_INTERFACE, SESSION_INTERFACE, PORTAL.interface):
            rule = MatchRule(type="signal", interface=interface)
            connection.send_and_get_reply(message_bus.AddMatch(rule), timeout=REPLY_TIMEOUT_S)
        created = self._call_portal(
            connection, "CreateSession", "a{sv}", ({"session_handle_token": ("s", f"koebako{os.getpid()}")},), REPLY_TIMEOUT_S
        )
        session = str(created["session_handle"][1])
        described = localize("クリップボードや選択中のテキストを読み上げる", "Read the clipboard or the selection aloud")
        shortcut = {"description": ("s", described), "preferred_trigger": ("s", self._combination.portal_trigger)}
        self._call_portal(connection, "BindShortcuts", "oa(sa{sv})sa{sv}", (session, [(SHORTCUT_ID, shortcut)], "", {}), CONSENT_TIMEOUT_S)
        return session

    def _call_portal(
        self, connection: DBusConnection, method: str, signature: str, body: tuple[Any, ...], timeout_s: float
    ) -> Mapping[str, tuple[str, Any]]:
        """Return the results of a method, which come with a signal after its reply; raise InputError if it is refused."""
        token = f"koebako{os.getpid()}_{next(_tokens)}"
        body = (*body[:-1], {**body[-1], "handle_token": ("s", token)})
        path = f"/org/freedesktop/portal/desktop/request/{connection.unique_name[1:].replace('.', '_')}/{token}"
        # The signal may come before the reply, so both are read from the same stream of messages.
        serial = next(connection.outgoing_serial)
        connection.send(new_method_call(PORTAL, method, signature, body), serial=serial)
        ends = time.monotonic() + timeout_s
        while time.monotonic() < ends and not self._close_event.is_set():
            message = _receive_message(connection)
            if message is None:
                continue
            fields = message.header.fields
            if message.header.message_type.name == "error" and _find_field(fields, "reply_serial") == serial:
                raise _create_portal_error()
            if _find_field(fields, "path") == path and _find_field(fields, "member") == "Response":
                code, results = message.body
                if code:
                    raise InputError(localize("ホットキーは許可されませんでした。", "The hotkey was not allowed."))
                return dict(results)
        raise _create_portal_error()

    def _take_signal(self, connection: DBusConnection, session: str) -> None:
        message = _receive_message(connection)
        if message is None or self._close_event.is_set():
            return
        fields = message.header.fields
        member = _find_field(fields, "member")
        if member == "Activated" and message.body[:2] == (session, SHORTCUT_ID):
            self.pressed.emit()
        elif member == "Closed" and _find_field(fields, "path") == session:
            raise InputError(
                localize("デスクトップが読み上げのホットキーを解除しました。", "The desktop has taken the read aloud hotkey away."),
                localize("もう一度使うには、設定で「OK」を押してください。", "To use it again, press OK in the settings."),
            )


def _receive_message(connection: DBusConnection) -> Message | None:
    """Return the next message, or None if none comes soon."""
    try:
        return connection.receive(timeout=LISTEN_POLL_S)
    except TimeoutError:
        return None


def _find_field(fields: Mapping[Any, Any], name: str) -> Any:
    return next((value for field, value in fields.items() if field.name == name), None)


def _create_portal_error() -> InputError:
    return InputError(
        localize(
            "このデスクトップは、アプリからのグローバルホットキーに対応していません。", "This desktop offers no global hotkeys to programs."
        ),
        localize(
            "デスクトップの設定で、キーに「koebako read --clipboard」を割り当ててください。",
            "In the desktop's settings, bind a key to “koebako read --clipboard”.",
        ),
    )
