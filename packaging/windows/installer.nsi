; Installer of Koebako for one user, without administrator rights. Built by packaging/build.py:
;   makensis -DSOURCE=<program folder> -DVERSION=<x.y.z> -DOUTPUT=<installer.exe> installer.nsi
Unicode true
Target amd64-unicode
!include MUI2.nsh
!include FileFunc.nsh
!include LogicLib.nsh

!define KEY "Software\Microsoft\Windows\CurrentVersion\Uninstall\Koebako"
!define CLASSES "Software\Classes"
!define VOICE "Koebako.Voice"
!define PROJECT "Koebako.Project"

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
!insertmacro MUI_PAGE_LICENSE "${SOURCE}\_internal\LICENSE"
!insertmacro MUI_PAGE_DIRECTORY
!insertmacro MUI_PAGE_COMPONENTS
!insertmacro MUI_PAGE_INSTFILES
!insertmacro MUI_PAGE_FINISH
!insertmacro MUI_UNPAGE_CONFIRM
!insertmacro MUI_UNPAGE_INSTFILES
!insertmacro MUI_LANGUAGE "Japanese"
!insertmacro MUI_LANGUAGE "English"

LangString PROGRAM ${LANG_JAPANESE} "Koebako 本体"
LangString PROGRAM ${LANG_ENGLISH} "Koebako"
LangString DESKTOP ${LANG_JAPANESE} "デスクトップにショートカットを作成"
LangString DESKTOP ${LANG_ENGLISH} "Create a desktop shortcut"
LangString FILES ${LANG_JAPANESE} "プロジェクトと声のファイル (.koebako .aivmx .aivm .sbv2) を Koebako で開く"
LangString FILES ${LANG_ENGLISH} "Open projects and voice files (.koebako .aivmx .aivm .sbv2) with Koebako"
LangString VOICEFILE ${LANG_JAPANESE} "音声合成モデル"
LangString VOICEFILE ${LANG_ENGLISH} "Speech synthesis model"
LangString PROJECTFILE ${LANG_JAPANESE} "Koebako プロジェクト"
LangString PROJECTFILE ${LANG_ENGLISH} "Koebako project"
LangString RUNNING ${LANG_JAPANESE} "Koebako が起動しています。終了してから「再試行」をクリックしてください。"
LangString RUNNING ${LANG_ENGLISH} "Koebako is running. Close it, then click Retry."
LangString OLDWINDOWS ${LANG_JAPANESE} "Windows 10 (1809) 以降の 64 ビット版が必要です。"
LangString OLDWINDOWS ${LANG_ENGLISH} "64-bit Windows 10 (1809) or later is required."
LangString KEPT ${LANG_JAPANESE} "声と設定は削除されていません: $LOCALAPPDATA\Koebako"
LangString KEPT ${LANG_ENGLISH} "Your voices and settings have been kept: $LOCALAPPDATA\Koebako"

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

!macro OPEN_WITH SUFFIX KIND
  ; Offered beside other programs; what already opens these files stays what does.
  WriteRegStr HKCU "${CLASSES}\${SUFFIX}\OpenWithProgids" "${KIND}" ""
  ReadRegStr $0 HKCU "${CLASSES}\${SUFFIX}" ""
  ReadRegStr $1 HKLM "${CLASSES}\${SUFFIX}" ""
  ${If} "$0$1" == ""
    WriteRegStr HKCU "${CLASSES}\${SUFFIX}" "" "${KIND}"
  ${EndIf}
!macroend

!macro OPENED_BY_US KIND NAME
  WriteRegStr HKCU "${CLASSES}\${KIND}" "" "${NAME}"
  WriteRegStr HKCU "${CLASSES}\${KIND}\DefaultIcon" "" "$INSTDIR\Koebako.exe,0"
  WriteRegStr HKCU "${CLASSES}\${KIND}\shell\open\command" "" '"$INSTDIR\Koebako.exe" "%1"'
!macroend

!macro REMOVE_EMPTY PATH
  ; What DeleteRegKey calls empty may still have values.
  EnumRegKey $0 HKCU "${PATH}" 0
  ClearErrors
  EnumRegValue $1 HKCU "${PATH}" 0
  ${If} ${Errors}
  ${AndIf} $0 == ""
    DeleteRegKey HKCU "${PATH}"
  ${EndIf}
!macroend

!macro OPEN_NO_MORE SUFFIX KIND
  DeleteRegValue HKCU "${CLASSES}\${SUFFIX}\OpenWithProgids" "${KIND}"
  !insertmacro REMOVE_EMPTY "${CLASSES}\${SUFFIX}\OpenWithProgids"
  ReadRegStr $0 HKCU "${CLASSES}\${SUFFIX}" ""
  ${If} $0 == "${KIND}"
    DeleteRegValue HKCU "${CLASSES}\${SUFFIX}" ""
  ${EndIf}
  !insertmacro REMOVE_EMPTY "${CLASSES}\${SUFFIX}"
!macroend

!macro FORGET_FILES
  !insertmacro OPEN_NO_MORE ".aivmx" "${VOICE}"
  !insertmacro OPEN_NO_MORE ".aivm" "${VOICE}"
  !insertmacro OPEN_NO_MORE ".sbv2" "${VOICE}"
  !insertmacro OPEN_NO_MORE ".koebako" "${PROJECT}"
  DeleteRegKey HKCU "${CLASSES}\${VOICE}"
  DeleteRegKey HKCU "${CLASSES}\${PROJECT}"
!macroend

!define TELL_SHELL `System::Call 'shell32::SHChangeNotify(i 0x08000000, i 0, p 0, p 0)'`

Section "$(PROGRAM)" SectionProgram
  SectionIn RO
  !insertmacro WAIT_UNTIL_CLOSED
  !insertmacro REMOVE_PROGRAM
  !insertmacro FORGET_FILES ; an upgrade may deselect them
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

Section "$(FILES)" SectionFiles
  !insertmacro OPENED_BY_US "${VOICE}" "$(VOICEFILE)"
  !insertmacro OPENED_BY_US "${PROJECT}" "$(PROJECTFILE)"
  !insertmacro OPEN_WITH ".aivmx" "${VOICE}"
  !insertmacro OPEN_WITH ".aivm" "${VOICE}"
  !insertmacro OPEN_WITH ".sbv2" "${VOICE}"
  !insertmacro OPEN_WITH ".koebako" "${PROJECT}"
  ${TELL_SHELL}
SectionEnd

Section "Uninstall"
  !insertmacro WAIT_UNTIL_CLOSED
  !insertmacro REMOVE_PROGRAM
  !insertmacro FORGET_FILES
  ${TELL_SHELL}
  RMDir "$INSTDIR" ; only when it is empty
  Delete "$SMPROGRAMS\Koebako.lnk"
  Delete "$DESKTOP\Koebako.lnk"
  DeleteRegKey HKCU "${KEY}"
  DetailPrint "$(KEPT)"
SectionEnd
