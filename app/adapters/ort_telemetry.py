"""ONNX Runtime's reports to its maker, turned off before it is imported, by us or by a library."""

import os

# From 1.29 its builds for Linux and macOS report unless this is set by then. Children inherit it.
os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")


def import_without_telemetry() -> None:
    """Import ONNX Runtime and turn off the telemetry that no variable turns off, on Windows; raise ImportError or OSError."""
    import onnxruntime

    onnxruntime.disable_telemetry_events()
