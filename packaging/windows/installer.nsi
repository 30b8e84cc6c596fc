; Installer of Koebako for one user, without administrator rights. Built by packaging/build.py:
;   makensis -DSOURCE=<program folder> -DVERSION=<x.y.z> -DOUTPUT=<installer.exe> -DLICENCE=<text> -DTARGET=<amd64 or x86> installer.nsi
; -DTARGET is the processor of the installer itself: NSIS as its makers give it out has x86 alone, and a Wine without 32 bits runs amd64 alone.
; -DUNINSTALLER=<command> is run with the uninstaller that was made: it takes it out to be signed, or puts the signed one in its place.
Unicode true
Target ${TARGET}-unicode
!include MUI2.nsh
!include FileFunc.nsh
!include LogicLib.nsh
!include Sections.nsh
!include x64.nsh

!ifdef UNINSTALLER
  !uninstfinalize '${UNINSTALLER} "%1"' = 0
!endif

!define KEY "Software\Microsoft\Windows\CurrentVersion\Uninstall\Koebako"
!define CLASSES "Software\Classes"
!define VOICE "Koebako.Voice"
!define PROJECT "Koebako.Project"
!define DATA "$LOCALAPPDATA\Koebako"

Name "Koebako"
OutFile "${OUTPUT}"
InstallDir "$LOCALAPPDATA\Programs\Koebako"
InstallDirRegKey HKCU "${KEY}" "InstallLocation"
RequestExecutionLevel user
ManifestDPIAware true
ManifestSupportedOS Win10
AllowSkipFiles off ; a file that cannot be replaced ends the installation, silent or not
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
!define MUI_COMPONENTSPAGE_SMALLDESC ; below the list: beside it, the list would be too narrow for its words
!insertmacro MUI_PAGE_WELCOME
!insertmacro MUI_PAGE_LICENSE "${LICENCE}"
!define MUI_PAGE_CUSTOMFUNCTION_LEAVE RefuseChosenFolder
!insertmacro MUI_PAGE_DIRECTORY
!insertmacro MUI_PAGE_COMPONENTS
!insertmacro MUI_PAGE_INSTFILES
!insertmacro MUI_PAGE_FINISH
!define MUI_COMPONENTSPAGE_TEXT_TOP "$(STAYS)"
!insertmacro MUI_UNPAGE_COMPONENTS
!insertmacro MUI_UNPAGE_CONFIRM
!insertmacro MUI_UNPAGE_INSTFILES
!insertmacro MUI_LANGUAGE "Japanese"
!insertmacro MUI_LANGUAGE "English"

LangString PROGRAM ${LANG_JAPANESE} "Koebako 本体"
LangString PROGRAM ${LANG_ENGLISH} "Koebako"
LangString DESKTOP ${LANG_JAPANESE} "デスクトップにショートカットを作成"
LangString DESKTOP ${LANG_ENGLISH} "Create a desktop shortcut"
LangString FILES ${LANG_JAPANESE} "プロジェクトと声のファイルを Koebako で開く"
LangString FILES ${LANG_ENGLISH} "Open projects and voice files with Koebako"
LangString ABOUT_PROGRAM ${LANG_JAPANESE} "ウィンドウと koebako-cli、付属の声です。必ずインストールされます。"
LangString ABOUT_PROGRAM ${LANG_ENGLISH} "The window, koebako-cli and the included voices. Always installed."
LangString ABOUT_DESKTOP ${LANG_JAPANESE} "スタートメニューのほかに、デスクトップにもショートカットを作成します。"
LangString ABOUT_DESKTOP ${LANG_ENGLISH} "A shortcut on the desktop, besides the one in the Start menu."
LangString ABOUT_FILES ${LANG_JAPANESE} ".koebako、.aivmx、.aivm、.sbv2 のファイルを、ダブルクリックで開きます。ほかのアプリに関連付けられている場合は変更せず、「プログラムから開く」に追加します。"
LangString ABOUT_FILES ${LANG_ENGLISH} "A double click on .koebako, .aivmx, .aivm and .sbv2 files opens Koebako. Files that another program opens stay with it; Koebako is added to “Open with”."
LangString ABOUT_REMOVAL ${LANG_JAPANESE} "プログラム、ショートカット、ファイルの関連付けを削除します。"
LangString ABOUT_REMOVAL ${LANG_ENGLISH} "Removes the program, its shortcuts and its file associations."
LangString ABOUT_DATA ${LANG_JAPANESE} "元に戻せません。再インストールして使い続ける場合は、チェックを付けないでください。"
LangString ABOUT_DATA ${LANG_ENGLISH} "This cannot be undone. Leave it unticked if you want to install Koebako again."
LangString VOICEFILE ${LANG_JAPANESE} "音声合成モデル"
LangString VOICEFILE ${LANG_ENGLISH} "Speech synthesis model"
LangString PROJECTFILE ${LANG_JAPANESE} "Koebako プロジェクト"
LangString PROJECTFILE ${LANG_ENGLISH} "Koebako project"
LangString RUNNING ${LANG_JAPANESE} "Koebako が起動しています（$2）。終了してから「再試行」をクリックしてください。"
LangString RUNNING ${LANG_ENGLISH} "Koebako is running ($2). Close it, then click Retry."
LangString OLDWINDOWS ${LANG_JAPANESE} "Windows 10 (1809) 以降の 64 ビット版が必要です。"
LangString OLDWINDOWS ${LANG_ENGLISH} "64-bit Windows 10 (1809) or later is required."
LangString FOREIGN ${LANG_JAPANESE} "このフォルダーには別のプログラムのファイル（$2）があります。別のフォルダーを選んでください。$\r$\n$INSTDIR"
LangString FOREIGN ${LANG_ENGLISH} "This folder holds files of another program ($2). Choose another folder.$\r$\n$INSTDIR"
LangString STAYS ${LANG_JAPANESE} "追加した声・BERT、設定、辞書、保存していない台本は ${DATA} にあり、チェックを付けない限り削除されません。"
LangString STAYS ${LANG_ENGLISH} "Voices and BERTs that you added, settings, dictionary and unsaved scripts are in ${DATA}. They are kept unless you tick them."
LangString USERDATA ${LANG_JAPANESE} "声、設定、辞書、保存していない台本"
LangString USERDATA ${LANG_ENGLISH} "Voices, settings, dictionary, unsaved scripts"
LangString SURE ${LANG_JAPANESE} "声、設定、辞書、保存していない台本も削除しますか？元に戻せません。$\r$\n${DATA}"
LangString SURE ${LANG_ENGLISH} "Delete voices, settings, dictionary and unsaved scripts, too? This cannot be undone.$\r$\n${DATA}"
LangString KEPT ${LANG_JAPANESE} "声、設定、辞書、保存していない台本は次のフォルダーに残っています。不要なら削除してください。$\r$\n${DATA}"
LangString KEPT ${LANG_ENGLISH} "Voices, settings, dictionary and unsaved scripts have been kept. Delete this folder if you do not need them:$\r$\n${DATA}"

; Exit codes of a silent run: 2 the system is too old, another program is in the folder, or a file could not be written; 3 one of our programs is running.
; A silent removal keeps what belongs to the user; uninstall.exe /S /DELETEDATA does not.
Function .onInit
  ${IfNot} ${RunningX64}
    Goto old
  ${EndIf}
  ReadRegStr $0 HKLM "SOFTWARE\Microsoft\Windows NT\CurrentVersion" "CurrentBuildNumber"
  IntCmp $0 17763 supported 0 supported
old:
  MessageBox MB_ICONSTOP "$(OLDWINDOWS)" /SD IDOK
  SetErrorLevel 2
  Quit
supported:
FunctionEnd

!macro NOTE_IF_FOREIGN NAME
  ${If} ${FileExists} "$INSTDIR\${NAME}"
    StrCpy $2 "${NAME}"
  ${EndIf}
!macroend

!macro FIND_FOREIGN_PROGRAM
  ; A folder is ours if we are installed there, or our program is. In any other one, what an installation replaces belongs to somebody else.
  StrCpy $2 ""
  ReadRegStr $0 HKCU "${KEY}" "InstallLocation"
  ${If} $0 != $INSTDIR
  ${AndIfNot} ${FileExists} "$INSTDIR\Koebako.exe"
    !insertmacro NOTE_IF_FOREIGN "koebako-cli.exe"
    !insertmacro NOTE_IF_FOREIGN "_internal.old"
    !insertmacro NOTE_IF_FOREIGN "_internal"
    !insertmacro NOTE_IF_FOREIGN "licenses"
    !insertmacro NOTE_IF_FOREIGN "NOTICE.txt"
    !insertmacro NOTE_IF_FOREIGN "sbom.cdx.json"
    !insertmacro NOTE_IF_FOREIGN "uninstall.exe"
  ${EndIf}
!macroend

Function RefuseChosenFolder
  !insertmacro FIND_FOREIGN_PROGRAM
  ${If} $2 != ""
    MessageBox MB_OK|MB_ICONEXCLAMATION "$(FOREIGN)"
    Abort
  ${EndIf}
FunctionEnd

!macro QUIT_IF_FOREIGN
  ; A silent run sees no page.
  !insertmacro FIND_FOREIGN_PROGRAM
  ${If} $2 != ""
    MessageBox MB_OK|MB_ICONEXCLAMATION "$(FOREIGN)" /SD IDOK
    SetErrorLevel 2
    Quit
  ${EndIf}
!macroend

!macro NOTE_IF_RUNNING PROGRAM
  ; A program that runs cannot be opened for writing.
  ${If} ${FileExists} "$INSTDIR\${PROGRAM}"
    ClearErrors
    FileOpen $0 "$INSTDIR\${PROGRAM}" a
    ${If} ${Errors}
      StrCpy $2 "${PROGRAM}"
    ${Else}
      FileClose $0
    ${EndIf}
  ${EndIf}
!macroend

!macro CLOSE_AND_SET_ASIDE
  ; Every program of ours, for an export or a service has no window. Then the folder of libraries goes away under another name, which
  ; fails as a whole while anything in it is in use: nothing of the old version is gone by then, and nothing of it stays after.
  ${Do}
    StrCpy $2 ""
    !insertmacro NOTE_IF_RUNNING "Koebako.exe"
    !insertmacro NOTE_IF_RUNNING "koebako-cli.exe"
    ${If} $2 == ""
      RMDir /r "$INSTDIR\_internal.old"
      ${IfNot} ${FileExists} "$INSTDIR\_internal\*.*"
        ${ExitDo}
      ${EndIf}
      ClearErrors
      Rename "$INSTDIR\_internal" "$INSTDIR\_internal.old"
      ${IfNot} ${Errors}
        ${ExitDo}
      ${EndIf}
      StrCpy $2 "_internal"
    ${EndIf}
    ${If} ${Cmd} `MessageBox MB_RETRYCANCEL|MB_ICONEXCLAMATION "$(RUNNING)" /SD IDCANCEL IDCANCEL`
      SetErrorLevel 3
      Quit
    ${EndIf}
  ${Loop}
!macroend

!macro DELETE_PROGRAM PROGRAM
  ; One that was started meanwhile stays, and with it the libraries that it needs.
  ClearErrors
  Delete "$INSTDIR\${PROGRAM}"
  ${If} ${Errors}
    Rename "$INSTDIR\_internal.old" "$INSTDIR\_internal"
    StrCpy $2 "${PROGRAM}"
    MessageBox MB_OK|MB_ICONEXCLAMATION "$(RUNNING)" /SD IDOK
    SetErrorLevel 3
    Quit
  ${EndIf}
!macroend

!macro REMOVE_PROGRAM
  ; By name, never the whole folder: a user may have chosen one that holds other things.
  !insertmacro DELETE_PROGRAM "koebako-cli.exe"
  !insertmacro DELETE_PROGRAM "Koebako.exe"
  RMDir /r "$INSTDIR\_internal.old"
  RMDir /r "$INSTDIR\licenses"
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
  !insertmacro QUIT_IF_FOREIGN
  !insertmacro CLOSE_AND_SET_ASIDE
  !insertmacro REMOVE_PROGRAM
  !insertmacro FORGET_FILES ; an upgrade may deselect them
  SetOutPath "$INSTDIR"
  File /r "${SOURCE}\*.*"
  WriteUninstaller "$INSTDIR\uninstall.exe"
  CreateShortcut "$SMPROGRAMS\Koebako.lnk" "$INSTDIR\Koebako.exe"
  WriteRegStr HKCU "${KEY}" "DisplayName" "Koebako"
  WriteRegStr HKCU "${KEY}" "DisplayVersion" "${VERSION}"
  WriteRegStr HKCU "${KEY}" "Publisher" "Koebako"
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

Section "un.$(PROGRAM)" UnsectionProgram
  SectionIn RO
  !insertmacro CLOSE_AND_SET_ASIDE
  !insertmacro REMOVE_PROGRAM
  !insertmacro FORGET_FILES
  ${TELL_SHELL}
  RMDir "$INSTDIR" ; only when it is empty
  Delete "$SMPROGRAMS\Koebako.lnk"
  Delete "$DESKTOP\Koebako.lnk"
  DeleteRegKey HKCU "${KEY}"
SectionEnd

Section /o "un.$(USERDATA)" UnsectionData
  ${If} ${Cmd} `MessageBox MB_YESNO|MB_ICONEXCLAMATION|MB_DEFBUTTON2 "$(SURE)" /SD IDYES IDYES`
    ; The system's own command removes links to other places as links; RMDir /r would empty what they lead to.
    nsExec::Exec '"$SYSDIR\cmd.exe" /d /c rd /s /q "${DATA}"'
    Pop $0
  ${EndIf}
SectionEnd

Section "-un.Tell"
  ${If} ${FileExists} "${DATA}\*.*"
    DetailPrint "$(KEPT)"
    MessageBox MB_OK|MB_ICONINFORMATION "$(KEPT)" /SD IDOK
  ${EndIf}
SectionEnd

!insertmacro MUI_FUNCTION_DESCRIPTION_BEGIN
  !insertmacro MUI_DESCRIPTION_TEXT ${SectionProgram} "$(ABOUT_PROGRAM)"
  !insertmacro MUI_DESCRIPTION_TEXT ${SectionDesktop} "$(ABOUT_DESKTOP)"
  !insertmacro MUI_DESCRIPTION_TEXT ${SectionFiles} "$(ABOUT_FILES)"
!insertmacro MUI_FUNCTION_DESCRIPTION_END

!insertmacro MUI_UNFUNCTION_DESCRIPTION_BEGIN
  !insertmacro MUI_DESCRIPTION_TEXT ${UnsectionProgram} "$(ABOUT_REMOVAL)"
  !insertmacro MUI_DESCRIPTION_TEXT ${UnsectionData} "$(ABOUT_DATA)"
!insertmacro MUI_UNFUNCTION_DESCRIPTION_END

Function un.onInit
  ${GetParameters} $0
  ClearErrors
  ${GetOptions} $0 "/DELETEDATA" $1
  ${IfNot} ${Errors}
    !insertmacro SelectSection ${UnsectionData}
  ${EndIf}
  ${IfNot} ${FileExists} "${DATA}\*.*"
    SectionSetText ${UnsectionData} "" ; nothing to offer
  ${EndIf}
FunctionEnd
