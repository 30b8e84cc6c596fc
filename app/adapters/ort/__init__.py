"""ONNX Runtime, the only place that imports it."""

import os

# From 1.29 its builds for Linux and macOS report to their maker unless this is set before the import. Children inherit it.
os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
