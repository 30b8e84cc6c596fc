"""ONNX Runtime, which we use only here."""

# Before the first module here imports it.
from app.adapters import ort_telemetry as ort_telemetry
