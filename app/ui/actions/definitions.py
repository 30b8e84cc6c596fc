"""Everything the window can be asked to do: its name, its keys, its drawing and what it is for."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ActionSpec:
    """One thing to do.

    Attributes:
        keys: work everywhere in the window.
        list_keys: work in the list of lines only, where they would not be typed.
        drawing: name of its icon, empty for none.
    """

    name: str
    ja: str
    en: str
    tip_ja: str = ""
    tip_en: str = ""
    keys: tuple[str, ...] = ()
    list_keys: tuple[str, ...] = ()
    drawing: str = ""
    checkable: bool = False


ACTIONS = (
    ActionSpec(
        "read_text",
        "テキストを読み込む…",
        "Import text…",
        "テキストファイルを行ごとに読み込みます。",
        "Adds each line of a text file to the script.",
        ("Ctrl+Shift+O",),
    ),
    ActionSpec(
        "add_voice",
        "声を追加…",
        "Add voice…",
        "声のファイルや zip を追加します。ウィンドウにドラッグ＆ドロップもできます。",
        "Adds a voice file or zip; you can also drop it on the window.",
        ("Ctrl+Shift+V",),
    ),
    ActionSpec("add_voice_address", "URL・AivisHub から声を追加…", "Add voice from URL…", "声をダウンロードします。", "Downloads a voice."),
    ActionSpec(
        "voice_library",
        "声の管理…",
        "Voice library…",
        "声の一覧、更新、削除。",
        "Lists, updates, renames and deletes voices.",
        ("Ctrl+Shift+L",),
    ),
    ActionSpec(
        "add_bert",
        "BERT のファイルを追加…",
        "Add BERT file…",
        "声に必要な BERT モデルを追加します。",
        "Adds a BERT model that voices require.",
    ),
    ActionSpec(
        "measure",
        "バックエンドを測定",
        "Measure backends",
        "この声を最も速く合成できるバックエンドを測定します。",
        "Finds the fastest backend for this voice.",
    ),
    ActionSpec(
        "save_line",
        "選んだ行の音声を書き出す…",
        "Export selected lines…",
        "選んだ行を音声ファイルに保存します。",
        "Saves the selected lines as audio files.",
        list_keys=("E",),
        drawing="save",
    ),
    ActionSpec(
        "save_all",
        "すべての行を書き出す…",
        "Export all lines…",
        "行ごとに 1 つの音声ファイルに保存します。",
        "Saves one audio file per line.",
        ("Ctrl+E",),
    ),
    ActionSpec(
        "save_joined",
        "1 つのファイルに書き出す…",
        "Export as one file…",
        "すべての行をつなげて 1 つの音声ファイルに保存します。",
        "Saves all lines as a single audio file.",
        ("Ctrl+Shift+E",),
    ),
    ActionSpec("quit", "終了", "Quit", keys=("Ctrl+Q",)),
    ActionSpec("undo", "元に戻す", "Undo", "", "", ("Ctrl+Z",), drawing="undo"),
    ActionSpec("redo", "やり直す", "Redo", "", "", ("Ctrl+Y", "Ctrl+Shift+Z"), drawing="redo"),
    ActionSpec("cut", "切り取り", "Cut", list_keys=("Ctrl+X",)),
    ActionSpec("copy", "コピー", "Copy", list_keys=("Ctrl+C",)),
    ActionSpec("paste", "貼り付け", "Paste", list_keys=("Ctrl+V",)),
    ActionSpec("find", "検索…", "Find…", "行の中の言葉を探します。", "Finds words in the lines.", ("Ctrl+F",)),
    ActionSpec("replace", "置換…", "Replace…", "行の中の言葉を置き換えます。", "Replaces words in the lines.", ("Ctrl+H",)),
    ActionSpec("select_all", "すべての行を選択", "Select all lines", keys=("Ctrl+A",)),
    ActionSpec(
        "add_line",
        "行を追加",
        "Add line",
        "選んだ行の下に、同じ設定の空の行を追加します。",
        "Adds an empty line with the same settings below the selected one.",
        ("Shift+Return", "Shift+Enter"),
        drawing="add",
    ),
    ActionSpec(
        "edit_line",
        "行を編集",
        "Edit line",
        "選んだ行のテキストを編集します。",
        "Edits the text of the selected line.",
        list_keys=("F2", "Return", "Enter"),
    ),
    ActionSpec(
        "duplicate", "行を複製", "Duplicate", "選んだ行を複製します。", "Duplicates the selected lines.", ("Ctrl+D",), drawing="duplicate"
    ),
    ActionSpec("delete", "行を削除", "Delete", "選んだ行を削除します。", "Deletes the selected lines.", ("Shift+Del",), ("Del",), "delete"),
    ActionSpec(
        "move_up", "上に移動", "Move up", "選んだ行を 1 つ上に移動します。", "Moves the selected lines up.", ("Alt+Up",), drawing="up"
    ),
    ActionSpec(
        "move_down",
        "下に移動",
        "Move down",
        "選んだ行を 1 つ下に移動します。",
        "Moves the selected lines down.",
        ("Alt+Down",),
        drawing="down",
    ),
    ActionSpec(
        "play",
        "再生／停止",
        "Play / stop",
        "選んだ行を再生します。",
        "Plays the selected line.",
        ("Ctrl+Return", "Ctrl+Enter"),  # the second is on the number pad
        ("Space",),
        "play",
    ),
    ActionSpec(
        "play_through",
        "連続再生",
        "Play from here",
        "選んだ行から最後まで続けて再生します。",
        "Plays from the selected line to the end without gaps.",
        ("Ctrl+Shift+Return", "Ctrl+Shift+Enter"),
        ("Shift+Space",),
        "play_all",
    ),
    ActionSpec("stop", "停止", "Stop", keys=("Esc",)),
    ActionSpec(
        "loop", "リピート再生", "Loop", "最後まで再生したら先頭に戻ります。", "Starts over at the end.", drawing="loop", checkable=True
    ),
    ActionSpec(
        "live",
        "変更時に自動再生",
        "Auto-play",
        "設定やテキストを変更するたびに、その行を再生します。",
        "Plays the line again after each change.",
        drawing="live",
        checkable=True,
    ),
    ActionSpec(
        "follow",
        "再生中の行を選択",
        "Follow playback",
        "連続再生のあいだ、再生している行を選択し、読みと設定を表示します。",
        "Selects each line as it plays, so that its reading and settings are shown.",
        checkable=True,
    ),
    ActionSpec(
        "show_strip",
        "読みとアクセント",
        "Reading and accent",
        "選んだ行の読み、アクセント、波形の表示を切り替えます。",
        "Shows or hides the reading, accent and waveform of the selected line.",
        ("Ctrl+R",),
        checkable=True,
    ),
    ActionSpec("full_screen", "全画面表示", "Full screen", keys=("F11",), checkable=True),
    ActionSpec(
        "find_command",
        "コマンドを検索…",
        "Find a command…",
        "コマンドを名前で検索して実行します。",
        "Finds and runs any command by name.",
        ("Ctrl+K",),
        drawing="search",
    ),
    ActionSpec(
        "settings",
        "設定…",
        "Settings…",
        "言語、配色、声の読み込み、ショートカットキーなどを変更します。",
        "Language, theme, voice loading, shortcuts and more.",
        ("Ctrl+,",),
        drawing="settings",
    ),
    ActionSpec(
        "dictionary",
        "ユーザー辞書…",
        "User dictionary…",
        "単語の読みとアクセントを登録します。",
        "Sets the reading and accent of words in every text.",
        ("Ctrl+U",),
    ),
    ActionSpec("user_guide", "使い方…", "User guide…", "使い方を調べます。", "Explains how to use Koebako.", ("F1",)),
    ActionSpec(
        "diagnose", "診断…", "Diagnostics…", "動作に必要なものが揃っているか確認します。", "Checks that everything required is available."
    ),
    ActionSpec("show_log", "ログ…", "Log…", "動作の記録を表示します。", "Shows the log."),
    ActionSpec(
        "open_data",
        "データフォルダーを開く",
        "Open data folder",
        "設定、声、ログの保存先を開きます。",
        "Opens the folder with settings, voices and logs.",
    ),
    ActionSpec("about", "Koebako について…", "About Koebako…", "バージョンとライセンスを表示します。", "Shows the version and licences."),
)
