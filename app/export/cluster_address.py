"""The address of a Dask scheduler and how it is spoken to: encrypted, or plainly where nobody else listens or the user insists."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from app.common.errors import InputError
from app.common.language import localize


@dataclass(frozen=True, slots=True)
class ClusterAddress:
    """A scheduler and the files that prove who speaks; they are empty for plain `tcp://`, or where Dask's own settings name them."""

    url: str
    ca_file: str = ""
    cert: str = ""
    key: str = ""

    @property
    def is_encrypted(self) -> bool:
        """Return whether only TLS is spoken."""
        return self.url.startswith("tls://")


def parse_cluster_address(text: str, *, ca_file: str = "", cert: str = "", key: str = "", is_insecure: bool = False) -> ClusterAddress:
    """Return the address of a scheduler; raise InputError for one that is none, or that may not be spoken to in this way."""
    host = _parse_host(text)
    files = {"--tls-ca-file": ca_file, "--tls-cert": cert, "--tls-key": key}
    given = [option for option, file in files.items() if file]
    address = ClusterAddress(text, ca_file, cert, key)
    if not address.is_encrypted and given:
        raise InputError(
            localize(f"{given[0]} は tls:// のアドレスと一緒に指定してください。", f"{given[0]} needs an address that begins with tls://."),
            localize(f"例: --scheduler tls://{host}:8786", f"For example: --scheduler tls://{host}:8786"),
        )
    missing = [option for option in given if not Path(files[option]).is_file()]
    if missing:
        raise InputError(
            localize(f"{missing[0]} のファイルが見つかりません。", f"The file of {missing[0]} does not exist."),
            localize("パスを確認してください。", "Check the path."),
        )
    if not address.is_encrypted and not is_insecure and not _is_loopback(host):
        raise InputError(
            localize(
                f"「{host}」への接続は暗号化されていないため、中止しました。",
                f"The connection to {host} would not be encrypted, so nothing was sent.",
            ),
            localize(
                "tls:// と --tls-ca-file などを使うか、ほかの人が使わないネットワークなら --insecure を指定してください。",
                "Use tls:// with --tls-ca-file and so on; on a network that is yours alone, --insecure allows it.",
            ),
        )
    return address


def _parse_host(text: str) -> str:
    try:
        parts = urlsplit(text)
        if parts.scheme in ("tcp", "tls") and parts.hostname and parts.port and parts.path in ("", "/") and not parts.username:
            return parts.hostname
    except ValueError:  # a port that is no number
        pass
    raise InputError(
        localize(f"スケジューラーのアドレス「{text}」は使えません。", f"“{text}” is not the address of a scheduler."),
        localize("tcp://ホスト:8786 または tls://ホスト:8786 の形で指定してください。", "Write tcp://HOST:8786 or tls://HOST:8786."),
    )


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host.casefold() == "localhost"
