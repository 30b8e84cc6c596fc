"""ONNX Runtime, which we use only here."""

from app.adapters import ort_telemetry as ort_telemetry  # before the first module here imports it
