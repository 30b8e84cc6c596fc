"""ONNX Runtime, which we use only here."""

from app.adapters import telemetry as telemetry  # before the first module here imports it
