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
        "Read text…",
        "文章のファイルを行にして加えます。",
        "Adds the lines of a text file.",
        ("Ctrl+Shift+O",),
    ),
    ActionSpec(
        "add_voice",
        "声を追加…",
        "Add voice…",
        "声のファイルか zip を選びます。ウィンドウへドラッグもできます。",
        "Adds a voice file or zip, which can also be dropped on the window.",
        ("Ctrl+Shift+V",),
    ),
    ActionSpec("add_voice_address", "URL・AivisHub から声を追加…", "Add voice from URL…", "声をダウンロードします。", "Downloads a voice."),
    ActionSpec(
        "voice_library", "声の管理…", "Voice library…", "声の一覧、更新、削除。", "All voices: update, rename, remove.", ("Ctrl+Shift+L",)
    ),
    ActionSpec(
        "add_bert",
        "BERT のファイルを追加…",
        "Add BERT file…",
        "声が話すのに使うモデルを入れます。",
        "Installs a model that voices speak with.",
    ),
    ActionSpec(
        "measure",
        "バックエンドを測定",
        "Measure backends",
        "この声が一番速く話せる装置を調べます。",
        "Finds what computes this voice fastest.",
    ),
    ActionSpec(
        "save_line",
        "選んだ行の音声を保存…",
        "Save selected lines…",
        "選んだ行を音声ファイルに書き出します。",
        "Writes the selected lines to sound files.",
        list_keys=("E",),
        drawing="save",
    ),
    ActionSpec(
        "save_all",
        "すべての行を保存…",
        "Save all lines…",
        "行ごとに一つのファイルにします。",
        "One sound file for every line.",
        ("Ctrl+E",),
    ),
    ActionSpec(
        "save_joined",
        "つなげて保存…",
        "Save joined…",
        "すべての行を一つのファイルにします。",
        "All lines in one sound file.",
        ("Ctrl+Shift+E",),
    ),
    ActionSpec("quit", "終了", "Quit", keys=("Ctrl+Q",)),
    ActionSpec("undo", "元に戻す", "Undo", "", "", ("Ctrl+Z",), drawing="undo"),
    ActionSpec("redo", "やり直す", "Redo", "", "", ("Ctrl+Y", "Ctrl+Shift+Z"), drawing="redo"),
    ActionSpec("cut", "切り取り", "Cut", list_keys=("Ctrl+X",)),
    ActionSpec("copy", "コピー", "Copy", list_keys=("Ctrl+C",)),
    ActionSpec("paste", "貼り付け", "Paste", list_keys=("Ctrl+V",)),
    ActionSpec("select_all", "すべての行を選ぶ", "Select all lines", list_keys=("Ctrl+A",)),
    ActionSpec(
        "add_line",
        "行を追加",
        "Add line",
        "選んだ行の次に、同じ設定の空の行を加えます。",
        "Adds an empty line with the same settings below the selected one.",
        ("Shift+Return", "Shift+Enter"),
        drawing="add",
    ),
    ActionSpec(
        "edit_line",
        "行を編集",
        "Edit line",
        "選んだ行の文章を書き直します。",
        "Edits the text of the line.",
        list_keys=("F2", "Return", "Enter"),
    ),
    ActionSpec(
        "duplicate", "行を複製", "Duplicate", "選んだ行をそのまま写します。", "Copies the selected lines.", ("Ctrl+D",), drawing="duplicate"
    ),
    ActionSpec("delete", "行を削除", "Delete", "選んだ行を消します。", "Removes the selected lines.", ("Shift+Del",), ("Del",), "delete"),
    ActionSpec("move_up", "上へ", "Move up", "選んだ行を一つ上へ移します。", "Moves the selected lines up.", ("Alt+Up",), drawing="up"),
    ActionSpec(
        "move_down", "下へ", "Move down", "選んだ行を一つ下へ移します。", "Moves the selected lines down.", ("Alt+Down",), drawing="down"
    ),
    ActionSpec(
        "play",
        "再生／停止",
        "Speak / stop",
        "選んだ行を読み上げます。",
        "Speaks the selected line.",
        ("Ctrl+Return", "Ctrl+Enter"),  # the second is on the number pad
        ("Space",),
        "play",
    ),
    ActionSpec(
        "play_through",
        "ここから続けて再生",
        "Play from here",
        "選んだ行から最後まで、途切れずに読み上げます。",
        "Speaks from the selected line to the end without a gap.",
        ("Ctrl+Shift+Return", "Ctrl+Shift+Enter"),
        ("Shift+Space",),
        "play_all",
    ),
    ActionSpec("stop", "停止", "Stop", keys=("Esc",)),
    ActionSpec("loop", "繰り返し", "Loop", "最後まで来たら初めに戻ります。", "Starts again at the end.", drawing="loop", checkable=True),
    ActionSpec(
        "live",
        "ライブ",
        "Live",
        "変えるたびに、その行を読み上げ直します。",
        "Speaks the line again after each change.",
        drawing="live",
        checkable=True,
    ),
    ActionSpec(
        "show_strip",
        "読みとアクセント",
        "Reading and accent",
        "選んだ行の読み、アクセント、波形を開くか、たたみます。",
        "Opens or folds reading, accent and sound of the selected line.",
        ("Ctrl+R",),
        checkable=True,
    ),
    ActionSpec("full_screen", "全画面", "Full screen", keys=("F11",), checkable=True),
    ActionSpec(
        "find_command",
        "コマンドを探す…",
        "Find a command…",
        "できることを名前で探します。",
        "Finds anything by its name.",
        ("Ctrl+K",),
        drawing="search",
    ),
    ActionSpec(
        "settings",
        "設定…",
        "Settings…",
        "言語、配色、声の読み込み、キーなど。",
        "Language, theme, loading, keys and more.",
        ("Ctrl+,",),
        drawing="settings",
    ),
    ActionSpec(
        "dictionary",
        "ユーザー辞書…",
        "User dictionary…",
        "単語の読みとアクセントを登録します。",
        "Words with the reading and accent that they shall have everywhere.",
        ("Ctrl+U",),
    ),
    ActionSpec("user_guide", "使い方…", "User guide…", "使い方を調べます。", "Explains how to use Koebako.", ("F1",)),
    ActionSpec("diagnose", "診断…", "Diagnostics…", "必要なものが揃っているか調べます。", "Checks that everything needed is there."),
    ActionSpec("show_log", "ログ…", "Log…", "起きたことの記録を見ます。", "Shows the record of what happened."),
    ActionSpec(
        "open_data", "データのフォルダーを開く", "Open data folder", "設定、声、ログの場所。", "Where settings, voices and logs are."
    ),
    ActionSpec("about", "Koebako について…", "About Koebako…", "バージョンとライセンス。", "Version and licences."),
)
