"""The backends that ONNX Runtime may offer: one row each. To add one, add its row; nothing that speaks knows backends by name.

No ONNX Runtime here, so that the window may read the table.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Backend:
    """One execution provider of ONNX Runtime."""

    key: str  # what `--backend` and the settings call it
    provider: str  # what ONNX Runtime calls it
    name: str  # shown to people
    options: Mapping[str, str] = field(default_factory=dict)  # what the provider is given when a session opens
    memory: str = "cpu"  # where it keeps values, as OrtValue names it
    is_on_processor: bool = False  # it computes on the processor, at the processor's speed
    device_option: str = "device_id"  # which option takes the number of a device; empty where the provider does not number devices
    device_replaces: tuple[str, ...] = ()  # options that a device number excludes
    threads_option: str = ""  # which option takes the number of threads; empty for none
    takes_any_size: bool = True  # it computes graphs of open sizes at a fair speed; else it gets those only that have a form of fixed sizes
    takes_forms: bool = True  # it gets the forms of fixed sizes that graphs have; else the graphs themselves
    # Options with which it keeps what it compiled for a session in `{folder}`.
    cache_options: Mapping[str, str] = field(default_factory=dict)
    opening_timeout_s: float = 120.0  # a driver that takes longer to open a session hangs
    plugin: str = ""  # the package that brings it as a library of its own; empty where ONNX Runtime has it built in
    # Named for a whole voice, it gets the flow and the decoder only; the other graphs where they are put on it.
    leaves_text_to_cpu: bool = False
    disabled_optimizers: tuple[str, ...] = ()  # fusions of ONNX Runtime that it computes wrong
    sine_error: float = 0.0  # what its sines may be apart from right ones, and so the sound that is made of them
    # Graphs with one of them stay on the CPU: they make rounding large, so no comparison says whether it is right.
    unfit_operators: frozenset[str] = frozenset()


# Sums in another order are at most 1e-6 apart. A value that is rounded to 8 bits may then be a whole step apart, and the angle of a
# part of a spectrum that is all but silent half a turn.
ROUNDING_OPERATORS = frozenset({"QuantizeLinear", "DynamicQuantizeLinear", "DynamicQuantizeMatMul", "DynamicQuantizeLSTM", "Atan"})

BACKENDS = {
    item.key: item
    for item in (
        Backend("cpu", "CPUExecutionProvider", "CPU", is_on_processor=True, device_option=""),
        Backend(
            "directml",
            "DmlExecutionProvider",
            "DirectML",
            # Device 0 is often the integrated one, which may be slower than the CPU. A number and a preference exclude each other.
            {"performance_preference": "high_performance", "device_filter": "gpu"},
            memory="dml",
            device_replaces=("performance_preference", "device_filter"),
            # Every size but the first that a session sees is compiled again at every run.
            takes_any_size=False,
        ),
        Backend(
            "webgpu",
            "WebGpuExecutionProvider",
            "WebGPU",
            # It chooses the adapter by itself, whichever of its devices a session names.
            {"powerPreference": "high-performance"},
            device_option="",
            plugin="onnxruntime_ep_webgpu",
            # A new length compiles few shaders or none, and half precision is wrong in long transposed convolutions.
            takes_forms=False,
            # Loops and arithmetic of sizes stay on the CPU, so that a prosody would be copied there and back 80 times.
            leaves_text_to_cpu=True,
            # A convolution that is fused with a Tanh gives no numbers where the sum is beyond 89, instead of 1.
            disabled_optimizers=("ConvActivationFusion",),
            # WebGPU's language promises no more.
            sine_error=2**-11,
            unfit_operators=ROUNDING_OPERATORS,
        ),
        Backend(
            "cuda",
            "CUDAExecutionProvider",
            "CUDA",
            # An exhaustive search for the best convolution would run again for every new length of text; an arena that doubles would
            # take memory that the desktop needs; products of ten-bit fractions (TF32) are not equal within what we call equal.
            {"cudnn_conv_algo_search": "HEURISTIC", "arena_extend_strategy": "kSameAsRequested", "use_tf32": "0"},
            memory="cuda",
        ),
        Backend(
            "tensorrt",
            "TensorrtExecutionProvider",
            "TensorRT",
            memory="cuda",
            # It compiles an engine for each shape.
            takes_any_size=False,
            cache_options={"trt_engine_cache_enable": "True", "trt_engine_cache_path": "{folder}"},
            # For it tries many ways to compute each layer.
            opening_timeout_s=900.0,
        ),
        # The older format runs most of our operators on the CPU.
        Backend("coreml", "CoreMLExecutionProvider", "CoreML", {"ModelFormat": "MLProgram"}, device_option=""),
        Backend(
            "openvino",
            "OpenVINOExecutionProvider",
            "OpenVINO",
            # Left to itself it computes in bfloat16 where the processor can, which is heard. Its devices have names: CPU, GPU, GPU.1, NPU.
            {"device_type": "CPU", "precision": "ACCURACY"},
            is_on_processor=True,
            device_option="device_type",
            threads_option="num_of_threads",
        ),
    )
}

CPU_PLACES = ("cpu", "auto")  # nothing is asked of a device for these; "auto" is left only where a choice that was kept is damaged


def parse_backend(place: str) -> str:
    """Return the backend of a place: `directml:1` → `directml`."""
    return place.partition(":")[0]


def find_backend_name(key: str) -> str:
    """Return the name of a backend, or of "auto", for people."""
    return "Auto" if key == "auto" else BACKENDS[key].name


def format_device_name(place: str) -> str:
    """Return a place for people: `directml:1` → `DirectML 1`."""
    backend, _, adapter = place.partition(":")
    return f"{find_backend_name(backend)} {adapter}".strip()


def is_on_processor(key: str) -> bool:
    """Return whether a backend computes on the processor; one that is not known does not."""
    return key in BACKENDS and BACKENDS[key].is_on_processor


FLOAT32_TOLERANCE, FLOAT16_TOLERANCE = 1e-4, 1e-2  # of full scale; in half precision 40 dB, as the CPU's own differ by 2e-3 already


def find_tolerance(places: Collection[str], *, is_half_precision: bool) -> float:
    """Return the largest difference, as a share of full scale, at which results of these places count as the CPU's."""
    if is_half_precision:
        return FLOAT16_TOLERANCE
    return max([FLOAT32_TOLERANCE, *(BACKENDS[parse_backend(place)].sine_error for place in places)])
