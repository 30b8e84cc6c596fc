"""The version resource of the Windows executables: what Explorer shows under Properties."""

import sys
from typing import Any


def version_resource(version: str, name: str) -> Any:
    """A resource for PyInstaller's EXE; None where there are no such resources."""
    if sys.platform != "win32":
        return None
    from PyInstaller.utils.win32.versioninfo import (
        FixedFileInfo,
        StringFileInfo,
        StringStruct,
        StringTable,
        VarFileInfo,
        VarStruct,
        VSVersionInfo,
    )

    numbers = tuple([*(int(part) for part in version.split(".")), 0, 0, 0][:4])
    texts = {
        "CompanyName": "Koebako",
        "FileDescription": "Koebako 声箱",
        "FileVersion": version,
        "InternalName": name,
        "LegalCopyright": "MIT licence; see NOTICE.txt",
        "OriginalFilename": f"{name}.exe",
        "ProductName": "Koebako",
        "ProductVersion": version,
    }
    english, japanese, unicode = 0x0409, 0x0411, 1200
    tables = [
        StringTable(f"{language:04X}{unicode:04X}", [StringStruct(*item) for item in texts.items()]) for language in (english, japanese)
    ]
    translations = VarStruct("Translation", [english, unicode, japanese, unicode])
    return VSVersionInfo(ffi=FixedFileInfo(filevers=numbers, prodvers=numbers), kids=[StringFileInfo(tables), VarFileInfo([translations])])
