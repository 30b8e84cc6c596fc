; Installer of Koebako for one user, without administrator rights. Built by packaging/build.py:
;   makensis -DSOURCE=<program folder> -DVERSION=<x.y.z> -DOUTPUT=<installer.exe> installer.nsi
Unicode true
Target amd64-unicode
!include MUI2.nsh
!include FileFunc.nsh
!include LogicLib.nsh

!define KEY "Software\Microsoft\Windows\CurrentVersion\Uninstall\Koebako"

Name "Koebako"
OutFile "${OUTPUT}"
InstallDir "$LOCALAPPDATA\Programs\Koebako"
InstallDirRegKey HKCU "${KEY}" "InstallLocation"
RequestExecutionLevel user
ManifestDPIAware true
ManifestSupportedOS Win10
BrandingText "Koebako ${VERSION}"
VIProductVersion "${VERSION}.0"
VIAddVersionKey "ProductName" "Koebako"
VIAddVersionKey "FileDescription" "Koebako setup"
VIAddVersionKey "FileVersion" "${VERSION}"
VIAddVersionKey "LegalCopyright" "MIT licence"

!define MUI_ICON "koebako.ico"
!define MUI_UNICON "koebako.ico"
!define MUI_ABORTWARNING
!define MUI_FINISHPAGE_RUN "$INSTDIR\Koebako.exe"
!insertmacro MUI_PAGE_WELCOME
!insertmacro MUI_PAGE_LICENSE "${SOURCE}\NOTICE.txt"
!insertmacro MUI_PAGE_DIRECTORY
!insertmacro MUI_PAGE_COMPONENTS
!insertmacro MUI_PAGE_INSTFILES
!insertmacro MUI_PAGE_FINISH
!insertmacro MUI_UNPAGE_CONFIRM
!insertmacro MUI_UNPAGE_INSTFILES
!insertmacro MUI_LANGUAGE "Japanese"
!insertmacro MUI_LANGUAGE "English"

LangString PROGRAM ${LANG_JAPANESE} "Koebako 本体"
LangString PROGRAM ${LANG_ENGLISH} "The program"
LangString DESKTOP ${LANG_JAPANESE} "デスクトップのショートカット"
LangString DESKTOP ${LANG_ENGLISH} "Shortcut on the desktop"
LangString RUNNING ${LANG_JAPANESE} "Koebako が動作中です。終了してから「再試行」を押してください。"
LangString RUNNING ${LANG_ENGLISH} "Koebako is running. Close it, then press Retry."
LangString OLDWINDOWS ${LANG_JAPANESE} "Windows 10 (1809) 以降の 64 ビット版が必要です。"
LangString OLDWINDOWS ${LANG_ENGLISH} "64-bit Windows 10 (1809) or later is needed."
LangString KEPT ${LANG_JAPANESE} "声と設定は残してあります: $LOCALAPPDATA\Koebako"
LangString KEPT ${LANG_ENGLISH} "Your voices and settings were kept: $LOCALAPPDATA\Koebako"

; Exit codes of a silent run: 2 the system is too old, 3 the program is running.
Function .onInit
  ReadRegStr $0 HKLM "SOFTWARE\Microsoft\Windows NT\CurrentVersion" "CurrentBuildNumber"
  IntCmp $0 17763 supported 0 supported
  MessageBox MB_ICONSTOP "$(OLDWINDOWS)" /SD IDOK
  SetErrorLevel 2
  Quit
supported:
FunctionEnd

!macro WAIT_UNTIL_CLOSED
  ; A program that runs cannot be opened for writing.
  ${If} ${FileExists} "$INSTDIR\Koebako.exe"
    ${Do}
      ClearErrors
      FileOpen $0 "$INSTDIR\Koebako.exe" a
      ${IfNot} ${Errors}
        FileClose $0
        ${ExitDo}
      ${EndIf}
      ${If} ${Cmd} `MessageBox MB_RETRYCANCEL|MB_ICONEXCLAMATION "$(RUNNING)" /SD IDCANCEL IDCANCEL`
        SetErrorLevel 3
        Quit
      ${EndIf}
    ${Loop}
  ${EndIf}
!macroend

!macro REMOVE_PROGRAM
  ; By name, never the whole folder: a user may have chosen one that holds other things.
  RMDir /r "$INSTDIR\_internal"
  RMDir /r "$INSTDIR\licenses"
  Delete "$INSTDIR\Koebako.exe"
  Delete "$INSTDIR\koebako-cli.exe"
  Delete "$INSTDIR\NOTICE.txt"
  Delete "$INSTDIR\sbom.cdx.json"
  Delete "$INSTDIR\uninstall.exe"
!macroend

Section "$(PROGRAM)" SectionProgram
  SectionIn RO
  !insertmacro WAIT_UNTIL_CLOSED
  !insertmacro REMOVE_PROGRAM
  SetOutPath "$INSTDIR"
  File /r "${SOURCE}\*.*"
  WriteUninstaller "$INSTDIR\uninstall.exe"
  CreateShortcut "$SMPROGRAMS\Koebako.lnk" "$INSTDIR\Koebako.exe"
  WriteRegStr HKCU "${KEY}" "DisplayName" "Koebako"
  WriteRegStr HKCU "${KEY}" "DisplayVersion" "${VERSION}"
  WriteRegStr HKCU "${KEY}" "DisplayIcon" "$INSTDIR\Koebako.exe"
  WriteRegStr HKCU "${KEY}" "InstallLocation" "$INSTDIR"
  WriteRegStr HKCU "${KEY}" "UninstallString" '"$INSTDIR\uninstall.exe"'
  WriteRegStr HKCU "${KEY}" "QuietUninstallString" '"$INSTDIR\uninstall.exe" /S'
  WriteRegDWORD HKCU "${KEY}" "NoModify" 1
  WriteRegDWORD HKCU "${KEY}" "NoRepair" 1
  ${GetSize} "$INSTDIR" "/S=0K" $0 $1 $2
  WriteRegDWORD HKCU "${KEY}" "EstimatedSize" $0
SectionEnd

Section /o "$(DESKTOP)" SectionDesktop
  CreateShortcut "$DESKTOP\Koebako.lnk" "$INSTDIR\Koebako.exe"
SectionEnd

Section "Uninstall"
  !insertmacro WAIT_UNTIL_CLOSED
  !insertmacro REMOVE_PROGRAM
  RMDir "$INSTDIR" ; only when it is empty
  Delete "$SMPROGRAMS\Koebako.lnk"
  Delete "$DESKTOP\Koebako.lnk"
  DeleteRegKey HKCU "${KEY}"
  DetailPrint "$(KEPT)"
SectionEnd
