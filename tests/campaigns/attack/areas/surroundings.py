"""The program in odd surroundings: data folders of every name, variables of the environment with anything in them."""

import os

from tests.campaigns.attack.area import Case
from tests.campaigns.attack.checks import check_sound
from tests.campaigns.attack.hostile import values
from tests.campaigns.attack.hostile.special_files import put_special
from tests.campaigns.attack.lived_in import STARTER_BERT
from tests.campaigns.attack.place import Place, clear
from tests.campaigns.attack.program import run

BAD_HOMES = (
    "~no-such-user/x",
    "/dev/null",
    "/dev/null/x",
    "/proc/self/x",
    "/sys/x",
    "",
    ".",
    "relative",
    "\n",
    "~",
    "~/x",
    "x" * 300,
    "x" * 5000,
    "/" + "d/" * 3000,
    "a:b",
    "http://x",
)
VARIABLES = {
    "KOEBAKO_LANG": ("", "x", "JA", "ja_JP.UTF-8", "\x1b[31m", "en\n", "あ"),
    "HF_ENDPOINT": ("", "x", "http://[", "http://", "\\", "http://a@b:99999", "file:///etc", "http://127.0.0.1:9\\@x", "\x1b[31m"),
    "KOEBAKO_AIVISHUB": ("", "x", "http://[::1", "http://127.0.0.1:9", "ftp://x", "\n"),
    "http_proxy": ("x", "::::", "http://u:p@[::1", "socks5://127.0.0.1:9", "http://127.0.0.1:99999", "http://", "//", "http://\x1b[31m"),
    "HF_TOKEN": ("x\r\nHost: evil", "\n", "あ", "x" * 100_000, "\x1b[31m", "\udcff"),
    "TMPDIR": ("/missing", "/dev/null", "", "x" * 3000),
    "LC_ALL": ("C", "xx_XX", "ja_JP.eucJP", "\udcff"),
    "COLUMNS": ("0", "-1", "x", "9" * 30),
    "OMP_NUM_THREADS": ("0", "-1", "x", "100000"),
    "XDG_DATA_HOME": ("/dev/null", "relative", "", "~"),
    "APPDATA": ("/dev/zero", "\udcff"),
    "SSL_CERT_FILE": ("/dev/zero", "/missing", ""),
    "PYTHONIOENCODING": ("ascii", "utf-16"),  # of a name that it does not know Python itself dies, before we begin
}  # fmt: skip
COMMANDS = (
    ("voices", "list", "--json"),
    ("g2p",),
    ("dict", "list"),
    ("bert", "list"),
    ("doctor", "--only", "paths"),
    ("voices", "add", "--url", "http://127.0.0.1:9/x"),
    ("bert", "add", "--hub"),
)


def try_home(case: Case, place: Place) -> str:
    """A word is taught and spoken in a data folder of this name, or all is refused in a sentence."""
    draw = case.draw
    if draw.random() < 0.3:
        of_the_user = clear(place.home / "of-the-user")  # `~` is the user's wish to have it there: no canary may live in it
        return _use(case, place, {"KOEBAKO_HOME": draw.choice((*BAD_HOMES, f"/{of_the_user}")), "HOME": str(of_the_user)}, strict=False)
    folder = clear(place.home / "named")
    name = "".join(draw.sample(values.NAMES, draw.choice((1, 2, 3))))[:60]
    home = folder / name if draw.random() < 0.8 else values.long_home(folder, draw.choice((200, 255, 600, 1500, 3900)))
    if draw.random() < 0.1:
        put_special(folder / "special", draw.choice(("pipe", "link to itself", "link to nothing", "link to zeros", "socket", "sparse")))
        return _use(case, place, {"KOEBAKO_HOME": str(folder / "special")}, strict=False)
    return _use(case, place, {"KOEBAKO_HOME": str(home)}, strict=_must_work(str(home)))


def _must_work(home: str) -> bool:
    """Other homes may be refused: our libraries take names in UTF-8, and systems take no name without end."""
    return len(home) < 600 and not any("\ud800" <= letter <= "\udfff" for letter in home)


def _use(case: Case, place: Place, env: dict[str, str], *, strict: bool) -> str:
    sound = place.out / "home.wav"
    sound.unlink(missing_ok=True)
    codes = [run(case, place, *command, env=env, cwd=place.out, stdin=stdin).code for command, stdin in _story(str(sound))]
    if strict and any(codes):
        case.complain("wrong", f"{env!a}: ended with {codes}", "odd home")
    if sound.exists():
        check_sound(case, sound)
    clear(place.out)
    os.chdir(place.out)
    return "home" if not any(codes) else "home refused"


def _story(sound: str) -> tuple[tuple[tuple[str, ...], bytes], ...]:
    return (
        (("dict", "add", "檜箱庵", "ひのばこあん", "--accent", "3"), b""),
        (("g2p",), "檜箱庵の雨。\n".encode()),
        (("speak", "檜箱庵の雨。", "-o", sound), b""),
        (("bert", "use", STARTER_BERT), b""),
    )


def try_surroundings(case: Case, place: Place) -> str:
    """One variable with something odd in it."""
    draw = case.draw
    name = draw.choice(list(VARIABLES))
    env = {name: draw.choice(VARIABLES[name])}
    quick = {"http_proxy": "http://127.0.0.1:9", "https_proxy": "http://127.0.0.1:9"}  # nobody may wait for the network here
    command = draw.choice((*COMMANDS, ("speak", "はい。", "-o", str(place.out / "a.wav"))))
    run(case, place, *command, env=quick | env, cwd=place.out, stdin="はい。\n".encode(), limit_s=60)
    clear(place.out)
    os.chdir(place.out)
    return "surroundings"
