"""The app for macOS: its icon, what it says of itself, its signature, and Apple's notary. Never run: there was no Mac."""

import os
import plistlib
import struct
import sys
from pathlib import Path
from typing import Any

from bundle.command import PROJECT, run

MACOS = PROJECT / "packaging" / "macos"
BUNDLE_ID = "io.github.koebako.Koebako"
IDENTITY = "KOEBAKO_MAC_IDENTITY"  # "Developer ID Application: …" as the keychain has it; without it the signature is ad hoc
NOTARY = "KOEBAKO_NOTARY_PROFILE"  # what `xcrun notarytool store-credentials` was given
# Apple's names of pictures in an icon, and their pixels.
PICTURES = {"ic11": 32, "ic12": 64, "ic07": 128, "ic13": 256, "ic08": 256, "ic14": 512, "ic09": 512, "ic10": 1024}


def info_plist(version: str) -> dict[str, Any]:
    """What the app says of itself, with this version."""
    known: dict[str, Any] = plistlib.loads((MACOS / "Info.plist").read_bytes())
    return known | {"CFBundleShortVersionString": version, "CFBundleVersion": version}


def draw_icon(folder: Path) -> Path:
    """Draws the icon in all sizes into one file."""
    from PySide6.QtCore import QBuffer, QIODevice, Qt
    from PySide6.QtGui import QImage, QPainter
    from PySide6.QtSvg import QSvgRenderer

    drawing = QSvgRenderer(str(PROJECT / "resources" / "icons" / "koebako.svg"))
    pictures = b""
    for name, size in PICTURES.items():
        image = QImage(size, size, QImage.Format.Format_ARGB32)
        image.fill(Qt.GlobalColor.transparent)
        painter = QPainter(image)
        drawing.render(painter)
        painter.end()
        buffer = QBuffer()
        buffer.open(QIODevice.OpenModeFlag.WriteOnly)
        image.save(buffer, "PNG")  # type: ignore[call-overload]
        data = bytes(buffer.data().data())
        pictures += name.encode() + struct.pack(">I", 8 + len(data)) + data
    folder.mkdir(parents=True, exist_ok=True)
    made = folder / "koebako.icns"
    made.write_bytes(b"icns" + struct.pack(">I", 8 + len(pictures)) + pictures)
    return made


def sign_app(app: Path) -> None:
    """Signs the app and everything in it; with a Developer ID also for the notary, which wants the hardened runtime and a time stamp."""
    identity = os.environ.get(IDENTITY, "-")
    hardened = ["--options", "runtime", "--timestamp", "--entitlements", str(MACOS / "entitlements.plist")] if identity != "-" else []
    run(["codesign", "--force", "--deep", "--sign", identity, *hardened, str(app)], timeout_s=1_200)
    run(["codesign", "--verify", "--deep", "--strict", str(app)], timeout_s=600)
    print(
        f"  signed by {identity if identity != '-' else 'nobody: ad hoc, so that others have to allow the app in the settings'}", flush=True
    )


def pack_app(app: Path, target: Path) -> None:
    """Zips the app, notarised and stapled where credentials are there."""
    pack = ["ditto", "-c", "-k", "--keepParent", str(app), str(target)]
    run(pack, timeout_s=1_200)
    if profile := os.environ.get(NOTARY):
        if os.environ.get(IDENTITY, "-") == "-":
            sys.exit(f"The notary takes only what {IDENTITY} signed.")
        run(["xcrun", "notarytool", "submit", str(target), "--keychain-profile", profile, "--wait"], timeout_s=3_600)
        run(["xcrun", "stapler", "staple", str(app)], timeout_s=600)
        run(pack, timeout_s=1_200)
