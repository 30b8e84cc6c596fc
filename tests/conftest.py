"""Options and fixtures that all tests share."""

import os
import shutil
import signal
import sys
import tempfile
from collections import Counter
from dataclasses import fields
from pathlib import Path

import hypothesis
import pytest

from app.adapters.files.file_lock import FileLock
from app.adapters.openjtalk.reading_choices import READING_CHOICES, clear_reading_choices
from app.common import language
from tests.remembered import FOLDER_VARIABLE
from tests.run_figures import RunFigures
from tests.shared_sessions import share_sessions

# Bytecode is kept between runs, out of the checkout, whatever the environment says: hundreds of processes would compile all that they import.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False
sys.pycache_prefix = os.environ["PYTHONPYCACHEPREFIX"] = str(Path(sys.prefix) / "bytecode")

SHARED = Path(os.environ.get("KOEBAKO_REFERENCE") or Path(__file__).parent.parent.parent / "shared")
# What names of users and folders hold, and some library or shell splits, expands or ends a name at. Windows allows no double quote.
HOME_NAME = "声箱, it's %TEMP% #1 ~" if sys.platform == "win32" else '声箱, "it\'s" %TEMP% #1 ~'

MODELS_VARIABLE = "KOEBAKO_TEST_MODELS"  # where they lie, for what is made once and has no fixtures
LONGEST_MAKING_S = 180  # of the tiny models, by another process of the run
# How long examples take to make says nothing of the program, only of what else the machine does.
hypothesis.settings.register_profile("koebako", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow])
hypothesis.settings.register_profile("quick", parent=hypothesis.settings.get_profile("koebako"), max_examples=15)


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--run-slow` for CI; `--soak-deeds` and `--sessions` for a long look at what only time brings out."""
    parser.addoption("--run-slow", action="store_true", help="also run tests marked slow")
    parser.addoption("--soak-deeds", type=int, default=160, help="how many random deeds are done to the window")
    parser.addoption("--most-skips", type=int, metavar="N", help="fail where more tests than these are skipped, and list why each was")
    parser.addoption("--figures", action="store_true", help="print what the run cost, and fail where a count is over its bound")
    parser.addoption("--soak-seed", type=int, default=1, help="which deeds")
    parser.addoption("--sessions", type=int, default=3, help="how many sessions of random deeds are undone to their beginning")


def pytest_configure(config: pytest.Config) -> None:
    """How many examples are tried; and that programs which are started here answer Ctrl+C, which a suite in the background ignores."""
    hypothesis.settings.load_profile("koebako" if config.getoption("--run-slow") else "quick")
    config.pluginmanager.register(RunFigures(config), "run-figures")
    # Also for fixtures of whole modules and what they start: the parts of the natural voice may be installed here, or not.
    os.environ["KOEBAKO_NATURAL_VOICE"] = "off"
    # A developer's own voices must not reach any test.
    home = tempfile.mkdtemp(prefix="koebako-home-")
    os.environ["KOEBAKO_HOME"] = home
    config.add_cleanup(lambda: shutil.rmtree(home, ignore_errors=True))
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(tryfirst=True)  # before pytest chooses by `-m`, which asks for the marker that is set here
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Slow tests are skipped, visibly, unless asked for.

    A test that needs the reference material is skipped before anything of it runs where that is absent: a test that began and
    then found nothing would leave folders, caches and children to the next one.
    """
    there = SHARED.is_dir()
    for item in items:
        if "shared" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.reference)
            if not there:
                item.add_marker(pytest.mark.skip(reason=f"no reference material at {SHARED}"))
    if config.getoption("--run-slow"):
        return
    for item in items:
        if "slow" in item.keywords:
            item.add_marker(pytest.mark.skip(reason="slow; run with --run-slow"))


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Fail a run that skipped more tests than `--most-skips`: what is skipped everywhere is tested nowhere."""
    most, reporter = session.config.getoption("--most-skips"), session.config.pluginmanager.getplugin("terminalreporter")
    if most is not None and reporter is not None and len(reporter.stats.get("skipped", ())) > most:
        session.exitstatus = session.exitstatus or pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Print how many tests were skipped, and for which reasons."""
    most, skipped = config.getoption("--most-skips"), terminalreporter.stats.get("skipped", ())
    if most is None:
        return
    terminalreporter.section(f"{len(skipped)} skipped, {most} allowed")
    for reason, count in Counter(
        str(report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr) for report in skipped
    ).most_common():
        terminalreporter.write_line(f"{count:4d}  {reason.removeprefix('Skipped: ')}")


@pytest.fixture(autouse=True)
def _english(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Messages in English, and data of the user in a folder of the test's own."""
    monkeypatch.setenv("KOEBAKO_HOME", str(tmp_path / HOME_NAME))
    for variable in ("XDG_DATA_HOME", "APPDATA"):  # where AivisSpeech's voices would be found
        monkeypatch.setenv(variable, str(tmp_path / "other-programs"))
    monkeypatch.setenv("KOEBAKO_LANG", "en")
    monkeypatch.setenv("KOEBAKO_NATURAL_VOICE", "off")
    monkeypatch.setenv("KOEBAKO_FRONTEND", "command")
    monkeypatch.setattr(language, "_current", "en")
    for field in fields(READING_CHOICES):  # a command that runs in this process, such as `g2p --links`, chooses for good
        monkeypatch.setattr(READING_CHOICES, field.name, None)
    clear_reading_choices()  # of the test before, which may have had other settings


@pytest.fixture(autouse=True)
def _shipped_graphs_opened_once(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """But where the clock or the memory is watched, or how sessions are opened."""
    if not (request.node.get_closest_marker("alone") or "tests/adapters" in request.path.as_posix()):
        share_sessions(monkeypatch)


@pytest.fixture(scope="session")
def _prepared_voices(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Where what `tests.remembered` prepares is kept: for all processes of a run, which have folders side by side."""
    own = tmp_path_factory.getbasetemp()
    folder = (own.parent if "PYTEST_XDIST_WORKER" in os.environ else own) / "prepared"
    folder.mkdir(exist_ok=True)
    os.environ[FOLDER_VARIABLE] = str(folder)


@pytest.fixture(scope="session")
def tiny_models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of tiny voices and BERTs, which one process of a run writes for all (see `tests.tiny_models.model_folders`)."""
    own = tmp_path_factory.getbasetemp()
    folder = (own.parent if "PYTEST_XDIST_WORKER" in os.environ else own) / "tiny-models"
    lock = FileLock(folder.with_suffix(".lock"))
    lock.wait_for_lock(LONGEST_MAKING_S)
    try:
        if not folder.is_dir():
            from tests.tiny_models.model_folders import make_models  # imports onnx, which few tests need

            make_models(folder.with_suffix(".half"))
            folder.with_suffix(".half").rename(folder)
    finally:
        lock.release()
    os.environ[MODELS_VARIABLE] = str(folder)
    return folder


@pytest.fixture(scope="session")
def at_length(request: pytest.FixtureRequest) -> bool:
    """Whether slow tests run: what is tried with few lines is then tried with many instead, which has the few in it."""
    return bool(request.config.getoption("--run-slow"))


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of reference material beside the repository, or where KOEBAKO_REFERENCE says; whoever asks for it is skipped without it."""
    return SHARED
