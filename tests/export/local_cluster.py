"""A Dask scheduler and its workers as processes of this machine, each worker an installation with data of its own."""

import os
import socket
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).parents[2]
START_S = 40.0


class LocalCluster:
    """Starts processes in a folder; `close` ends those that are left.

    Args:
        tls: options of Dask's programs for encryption; empty for plain connections.
    """

    def __init__(self, folder: Path, tls: tuple[str, ...] = ()) -> None:
        folder.mkdir(exist_ok=True)
        self.folder, self._tls = folder, tls
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.address = f"{'tls' if tls else 'tcp'}://127.0.0.1:{self.port}"
        self.workers: list[subprocess.Popen[bytes]] = []
        # tcp without a name means every address of this machine.
        self.scheduler = self._start("scheduler", "--protocol", self.address[:3], "--host", "127.0.0.1", "--port", str(self.port))

    def start_worker(self, name: str, threads: int = 1, **environment: str) -> subprocess.Popen[bytes]:
        """Start a worker whose data lie in a folder of that name, and which makes so many files at once, each in a process of its own."""
        given: tuple[str, ...] = ("worker", self.address, "--nthreads", str(threads), "--no-nanny", "--host", "127.0.0.1", "--name", name)
        given += ("--local-directory", str(self.folder / f"{name}-dask"), "--memory-limit", "0")
        self.workers.append(self._start(*given, KOEBAKO_HOME=str(self.folder / name), **environment))
        return self.workers[-1]

    def wait_for_workers(self) -> None:
        """Wait until all workers are there."""
        from distributed import Client, Security

        options = dict(zip(self._tls[::2], self._tls[1::2], strict=True))
        files = {
            name: options[option]
            for name, option in {"tls_ca_file": "--tls-ca-file", "tls_client_cert": "--tls-cert", "tls_client_key": "--tls-key"}.items()
            if option in options
        }
        security = Security(require_encryption=True, **files) if files else None
        until = time.monotonic() + START_S
        while True:
            try:
                with Client(self.address, timeout=5, security=security, set_as_default=False) as client:
                    client.wait_for_workers(len(self.workers), timeout=START_S)
                    return
            except OSError:
                assert time.monotonic() < until

    def close(self) -> None:
        """End all processes."""
        for process in (*self.workers, self.scheduler):
            process.kill()
            process.wait()

    def _start(self, *arguments: str, **environment: str) -> subprocess.Popen[bytes]:
        given = os.environ | {"PYTHONPATH": str(ROOT), "KOEBAKO_NATURAL_VOICE": "off", "KOEBAKO_LANG": "en"} | environment
        with (self.folder / "dask.log").open("ab") as log:
            return subprocess.Popen(
                [sys.executable, "-m", "dask", arguments[0], *arguments[1:], "--no-dashboard", *self._tls],
                cwd=self.folder,
                env=given,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
