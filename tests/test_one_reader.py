"""Files that somebody else may have written have one reader each, `app.common.files.whole_files` and `app.common.files.untrusted_json`; what reads otherwise says why."""

import ast
from functools import cache

import pytest

from tests.source_trees import parse_app

JSON = {
    "app/core/script/script_data.py": "fields of a later version that we dumped when the file was read",
    "app/common/files/untrusted_json.py": "the reader itself",
    "app/adapters/ort/profiled_session.py": "the same of another session",
    "app/adapters/sandbox/sandbox_child.py": "the task that our own parent hands over",
    "app/export/cluster_relay.py": "what our own parent asks for",
}
WHOLE = {
    "app/adapters/openjtalk/user_lexicon.py": "ships with the program",
    "app/ui/help/about_dialog.py": "ships with the program",
    "app/common/files/release_file.py": "ships with the program",
    "app/ui/theme/theme.py": "ships with the program",
    "app/voices/voice_labels.py": "ships with the program",
    "app/ui/help/guide_page_view.py": "ships with the program",
    "app/bench/reference_comparison.py": "our own source",
    "app/ui/selftest.py": "/proc",
    "app/bench/multiply_adds.py": "/proc",
    "app/adapters/ort/devices/ort_devices.py": "/proc",
    "app/adapters/ort/fixed_shapes/fixed_shape_graph.py": "calls that we kept with a form, as arrays",
    "app/adapters/ort/optimized_graphs.py": "/proc, and copies that we made",
    "app/adapters/ort/profiled_session.py": "the same of another session",
    "app/adapters/ort/lab_sessions.py": "what ONNX Runtime's tools have just written into a folder of our own",
    "app/lab/place/kernel_coverage.py": "ships with the program",
    "app/lab/compare/compare_candidates.py": "the counters of energy that Linux shows as files",
    "app/adapters/ort/session_options.py": "a model, which ONNX Runtime would read whole as well",
    "app/voices/prepare/kokoro/kokoro_graphs.py": "ships with the program",
    "app/voices/containers/voice_sources.py": "a graph whose size and kind were checked",
    "app/backends/backend_trial.py": "what our own child kept a moment ago",
    "app/adapters/files/part_file.py": "a copy of a file of ours, a block at a time",
    "app/export/cluster_task.py": "what our own child wrote a moment ago",
    "app/adapters/file_prefetch.py": "files of installed packages, a block at a time",
    "app/cli/command_files.py": "what a user names may be a pipe; devices are refused and bytes are counted there",
}


@cache
def calls() -> list[tuple[str, str]]:
    """Which kind of reading, and where."""
    return [(kind, module.name) for module in parse_app() for node in module.list_nodes(ast.Call) if (kind := _kind(node))]


def _kind(call: ast.Call) -> str:
    if isinstance(call.func, ast.Name):
        return "whole" if call.func.id == "open" else ""
    if not isinstance(call.func, ast.Attribute):
        return ""
    name, owner = call.func.attr, call.func.value
    owner_name = owner.id if isinstance(owner, ast.Name) else ""
    if owner_name == "json" and name in ("load", "loads"):
        return "json"
    if name in ("read_text", "read_bytes") or (owner_name in ("np", "numpy") and name in ("load", "loadtxt", "fromfile", "genfromtxt")):
        return "whole"
    modes = [item.value for item in (*call.args[:1], *(word.value for word in call.keywords)) if isinstance(item, ast.Constant)]
    return "whole" if name == "open" and any(mode in ("r", "rb", "rt") for mode in modes) else ""


@pytest.mark.parametrize(("kind", "known"), [("json", JSON), ("whole", WHOLE)])
def test_nothing_is_read_past_the_readers(kind: str, known: dict[str, str]) -> None:
    found = {file for of, file in calls() if of == kind}
    assert found <= known.keys(), "read it with app.common.files.whole_files and app.common.files.untrusted_json, or say here why not"
    assert known.keys() == found, "no longer an exception"


def test_no_pickle_and_no_yaml_is_read() -> None:
    refused = {"pickle", "shelve", "marshal", "yaml", "dill", "joblib"}
    for module in parse_app():
        names = [item.name for node in module.list_nodes(ast.Import) for item in node.names]
        names += [node.module or "" for node in module.list_nodes(ast.ImportFrom)]
        assert not {name.partition(".")[0] for name in names} & refused, module.name
