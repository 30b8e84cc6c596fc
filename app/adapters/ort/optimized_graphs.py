"""Optimised copies of graphs on the disk, so that the next start need not optimise them again.

A copy is a folder: `graph.onnx`, its weights, and a record of its source, sizes and hashes, written last. It appears by one rename and is
checked in full before every use, so that what another process, a power cut or a bad disk left half done is never run. Nothing here
fails loudly: without a copy the graph itself is opened, which is only slower.
"""

import contextlib
import hashlib
import json
import logging
import os
import platform
import shutil
import tempfile
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path

import xxhash

from app.common.files.private_data_dir import make_private_folder
from app.common.files.untrusted_json import parse_object
from app.common.files.whole_files import read_bounded

OPTIMIZED_GRAPH_NAME = "graph.onnx"
OPTIMIZED_WEIGHTS_NAME = "weights.bin"
_RECORD_NAME = "record.json"
_MAX_RECORD_BYTES = 1 << 16
_WEIGHTS_SUFFIXES = (".bin", ".data")  # of the weights next to a graph of the same name
_UNFINISHED_COPY_SUFFIX = ".part"
_MIN_ABANDONED_COPY_AGE_S = 24 * 3600
_FREE_SPACE_PER_GRAPH_BYTE = 5  # a copy has floats where the graph may have 8 bits; a disk must not be filled for it


class GraphStore:
    """Keeps copies of the graphs used last.

    Args:
        folder: where; may be deleted at any time.
        max_bytes: what all copies together may take.
        smallest_bytes, largest_bytes: sizes of graphs worth a copy: small ones open in no time, and those larger than any voice's are BERTs, whose
            graphs are optimised as they are: a copy of the int8 one takes twice its size on the disk and saves 0.2 s of a processor.
    """

    def __init__(self, folder: Path, max_bytes: int = 3 << 30, smallest_bytes: int = 16 << 20, largest_bytes: int = 300 << 20) -> None:
        self.folder = folder
        self._max_bytes = max_bytes
        self._sizes = range(smallest_bytes, largest_bytes + 1)

    def find_or_write_copy(self, source: Path, flavour: str, write: Callable[[Path], None]) -> Path | None:
        """Return the optimised copy of a graph, written now if there is none; None if there can be none.

        Args:
            source: another size or time of change, also of the weights next to it, makes it another graph.
            flavour: whatever else shapes the copy, such as the version of ONNX Runtime.
            write: writes OPTIMIZED_GRAPH_NAME and OPTIMIZED_WEIGHTS_NAME into a folder.
        """
        try:
            if measure_graph_bytes(source) not in self._sizes:
                return None
            target = self.folder / compute_copy_key(source, flavour)
            if not target.is_dir():
                self._add_copy(source, target, write)
            return self._check_copy(target)
        except Exception as exc:  # `write` raises whatever ONNX Runtime does; a full or read-only disk is no reason not to speak
            logging.getLogger("koebako").info("no optimised copy of %s: %s", source, exc)
            return None

    def refuse_copy(self, source: Path, flavour: str) -> None:
        """Record that the copy of this graph, though complete, does not open; it is not written again."""
        try:
            target = self.folder / compute_copy_key(source, flavour)
            (target / _RECORD_NAME).write_text("{}", encoding="utf-8")
            for name in (OPTIMIZED_GRAPH_NAME, OPTIMIZED_WEIGHTS_NAME):
                (target / name).unlink(missing_ok=True)
        except OSError as exc:
            logging.getLogger("koebako").info("a copy that does not open stays: %s", exc)

    def _add_copy(self, source: Path, target: Path, write: Callable[[Path], None]) -> None:
        make_private_folder(self.folder)
        if shutil.disk_usage(self.folder).free < _FREE_SPACE_PER_GRAPH_BYTE * measure_graph_bytes(source):
            return
        part = Path(tempfile.mkdtemp(dir=self.folder, suffix=_UNFINISHED_COPY_SUFFIX))
        try:
            write(part)
            files = {file.name: [file.stat().st_size, compute_digest(file)] for file in part.iterdir()}
            record = {"source": str(source), "identity": compute_graph_identity(source), "files": files}
            (part / _RECORD_NAME).write_text(json.dumps(record), encoding="utf-8")
            # Fails where another process was faster: then its copy serves as well.
            part.rename(target)
        finally:
            shutil.rmtree(part, ignore_errors=True)
        self.remove_orphans()
        self._remove_oldest_copies(target)

    def remove_orphans(self) -> None:
        """Remove the copies of graphs that were removed or replaced; one that is in use, or whose record cannot be read, stays."""
        for record_file in self.folder.glob(f"*/{_RECORD_NAME}"):
            with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
                record = parse_object(read_bounded(record_file, _MAX_RECORD_BYTES))
                if not record:
                    continue
                with contextlib.suppress(OSError):  # its source is gone
                    if compute_graph_identity(Path(record["source"])) == record["identity"]:
                        continue
                _remove_copy(record_file.parent)

    def _check_copy(self, target: Path) -> Path | None:
        """Return the graph of a copy whose files match its record; a damaged copy is removed."""
        try:
            record = parse_object(read_bounded(target / _RECORD_NAME, _MAX_RECORD_BYTES))
            if not record:  # it was refused
                return None
            if any([(target / name).stat().st_size, compute_digest(target / name)] != facts for name, facts in record["files"].items()):
                raise ValueError("damaged")
        except (OSError, ValueError, KeyError, AttributeError):
            shutil.rmtree(target, ignore_errors=True)
            raise
        with contextlib.suppress(OSError):  # a read-only folder, which is never written to either
            os.utime(target / _RECORD_NAME)
        return target / OPTIMIZED_GRAPH_NAME

    def _remove_oldest_copies(self, newest: Path) -> None:
        copies = []
        for folder in self.folder.iterdir():
            if folder.suffix == _UNFINISHED_COPY_SUFFIX:
                if time.time() - folder.stat().st_mtime > _MIN_ABANDONED_COPY_AGE_S:
                    shutil.rmtree(folder, ignore_errors=True)
            else:
                files = [file.stat() for file in folder.iterdir()]
                copies.append((max((file.st_mtime for file in files), default=0.0), sum(file.st_size for file in files), folder))
        total_bytes = sum(size for _, size, _ in copies)
        for _, size, folder in sorted(copies):
            if total_bytes > self._max_bytes and folder != newest:
                _remove_copy(folder)
                total_bytes -= size


def _remove_copy(folder: Path) -> None:
    """Remove a copy; raise OSError if it is in use."""
    # Renamed first: Windows refuses that while another process has it open, and nobody may find half of it.
    shutil.rmtree(folder.rename(folder.with_suffix(_UNFINISHED_COPY_SUFFIX)), ignore_errors=True)


def compute_graph_identity(graph: Path | bytes) -> str:
    """Return an identity of a graph: of a file by path, size and time of change, for reading a large one would take longer than opening it."""
    if isinstance(graph, bytes):
        return hashlib.sha256(graph).hexdigest()
    facts = [file.stat() for file in list_graph_files(graph)]
    return "|".join([str(graph.resolve()), *(f"{item.st_size} {item.st_mtime_ns}" for item in facts)])


def list_graph_files(graph: Path) -> list[Path]:
    """Return the file of a graph, and its weights next to it: of `decoder.fast.onnx`, a variant, also those of `decoder.onnx`."""
    stems = dict.fromkeys((graph.stem, graph.stem.partition(".")[0]))
    beside = (graph.with_name(f"{stem}{suffix}") for stem in stems for suffix in _WEIGHTS_SUFFIXES)
    return [graph, *(file for file in beside if file.is_file())]


def measure_graph_bytes(graph: Path | bytes) -> int:
    """Return the bytes of a graph, including the weights next to it. Raise OSError."""
    return len(graph) if isinstance(graph, bytes) else sum(file.stat().st_size for file in list_graph_files(graph))


def compute_copy_key(source: Path, flavour: str) -> str:
    """Compute the name of a graph's copy: another one for another file, flavour or processor."""
    facts = "|".join((compute_graph_identity(source), flavour, describe_processor()))
    return hashlib.sha256(facts.encode("utf-8", "surrogateescape")).hexdigest()[:32]


@cache
def describe_processor() -> str:
    """Return what the layout of optimised weights depends on: a copy made for other instructions would compute nonsense."""
    cpuinfo = Path("/proc/cpuinfo")
    lines = cpuinfo.read_text(encoding="utf-8", errors="replace").splitlines() if cpuinfo.is_file() else []
    flags = next((line for line in lines if line.startswith(("flags", "Features"))), "")
    return f"{platform.machine()} {platform.processor()} {flags}"


def compute_digest(path: Path) -> str:
    """Return XXH3 of all bytes (hex), nearly as fast as memory. It detects accidents, not attacks: anyone who can change the file can change its record."""
    with path.open("rb", buffering=0) as file:
        return hashlib.file_digest(file, xxhash.xxh3_128).hexdigest()
