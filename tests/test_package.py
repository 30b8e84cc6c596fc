"""The wheel carries every package and the resources; the top level holds what it should and nothing else."""

import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

from app.common.version import VERSION

ROOT = Path(__file__).parents[1]


def test_every_package_is_installed() -> None:
    listed = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"]["packages"]
    found = {".".join(path.parent.relative_to(ROOT).parts) for path in ROOT.glob("app/**/__init__.py")}
    assert set(listed) == found | {"app.resources"}


def test_the_top_level_is_fixed() -> None:
    allowed = {"app", "resources", "tests", "packaging", "main.py", "pyproject.toml", "README.md", "LICENSE"}
    if shutil.which("git") is None:
        pytest.skip("no git on this machine")
    tracked = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False)
    if tracked.returncode:
        pytest.skip("not a git checkout")
    names = {line.split("/")[0] for line in tracked.stdout.splitlines()}
    assert {name for name in names if not name.startswith(".")} == allowed
    assert not (ROOT / "packaging" / "__init__.py").exists()  # it would shadow PyPI's `packaging`


@pytest.mark.slow
def test_a_wheel_speaks(tmp_path: Path) -> None:
    source = tmp_path / "source"  # setuptools leaves a `build` folder beside what it packs
    for name in ("app", "resources"):
        shutil.copytree(ROOT / name, source / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE", "main.py"):
        shutil.copy(ROOT / name, source)
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]
    subprocess.run([*pip, "wheel", "--no-deps", "--wheel-dir", str(tmp_path), str(source)], check=True)
    (wheel,) = tmp_path.glob(f"koebako-{VERSION}-*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        archive.extractall(tmp_path / "site")
    assert {"app/resources/voices/mei/voice.json", "app/resources/help/ja/window.md", "app/resources/help/en/window.md"} <= set(names)
    assert not any(name.startswith(("tests/", "packaging/")) for name in names)
    code = "import sys; sys.path.insert(0, sys.argv[1]); import app; assert sys.argv[1] in app.__file__; from app.cli.main import main; sys.exit(main(sys.argv[2:]))"
    output = tmp_path / "a.wav"
    # -I keeps the checkout, which is installed in development mode, out of the way
    done = subprocess.run(
        [sys.executable, "-I", "-c", code, str(tmp_path / "site"), "speak", "はい。", "-o", str(output)], check=False, cwd=tmp_path
    )
    assert done.returncode == 0
    assert output.stat().st_size > 20_000
