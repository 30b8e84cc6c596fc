"""The actions of the window: their names, keys, icons and descriptions."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ActionSpec:
    """One action of the window."""

    name: str
    label: tuple[str, str]  # label, tip: In Japanese and in English
    tip: tuple[str, str] = ("", "")
    keys: tuple[str, ...] = ()  # Keys that work everywhere in the window
    list_keys: tuple[str, ...] = ()  # Keys that work in the list of lines only, because elsewhere they would be typed
    drawing: str = ""
    checkable: bool = False
    is_everywhere: bool = False  # The keys also work in the other windows of the program


CHARACTER_KEYS = range(1, 10)  # the digits that give the selected lines a character, in the order of the cast; 0 gives them none


def _define_character_action(number: int) -> ActionSpec:
    return ActionSpec(
        f"character_{number}",
        (f"登場人物 {number}", f"Character {number}"),
        (f"選んだ行を、{number} 人目の登場人物のセリフにします。", f"Gives the selected lines character {number} of the cast."),
        (f"Alt+{number}",),
    )


ACTIONS = (
    ActionSpec("new_project", ("新規プロジェクト", "New project"), ("空の台本を開きます。", "Opens an empty script."), ("Ctrl+N",)),
    ActionSpec(
        "open_project",
        ("プロジェクトを開く…", "Open project…"),
        ("プロジェクトを開きます。ウィンドウにドラッグ＆ドロップもできます。", "Opens a project; you can also drop it on the window."),
        ("Ctrl+O",),
    ),
    ActionSpec(
        "save_project",
        ("プロジェクトを保存", "Save project"),
        ("台本をプロジェクトに保存します。", "Saves the script to its project."),
        ("Ctrl+S",),
    ),
    ActionSpec(
        "save_project_as",
        ("プロジェクトを名前を付けて保存…", "Save project as…"),
        ("台本を別のプロジェクトに保存します。", "Saves the script to another project."),
        ("Ctrl+Shift+S",),
    ),
    ActionSpec(
        "embed_sounds",
        ("テイクの音声をファイルに含める", "Include takes' sounds in file"),
        ("保存するとき、テイクの音声をプロジェクトのファイルに入れます。", "Saves the sounds of takes inside the project's file."),
        checkable=True,
    ),
    ActionSpec(
        "import",
        ("台本を読み込む…", "Import…"),
        (
            "VOICEVOX・AivisSpeech のプロジェクト、表、テキストを行として読み込みます。",
            "Adds the lines of VOICEVOX and AivisSpeech projects, tables and texts.",
        ),
        ("Ctrl+Shift+O",),
    ),
    ActionSpec(
        "export_script",
        ("台本を書き出す…", "Export script…"),
        ("すべての行をテキストや CSV として保存します。", "Writes all lines to a text or CSV file."),
    ),
    ActionSpec(
        "natural_voice",
        ("自然な声を追加…", "Add natural voice…"),
        (
            "AivisHub の声のサンプルを再生し、BERT とまとめてダウンロードします。",
            "Plays samples of AivisHub voices and downloads one with its BERT.",
        ),
    ),
    ActionSpec(
        "add_voice",
        ("声を追加…", "Add voice…"),
        (
            "声のファイルや zip を追加します。ウィンドウにドラッグ＆ドロップもできます。",
            "Adds a voice file or zip; you can also drop it on the window.",
        ),
        ("Ctrl+Shift+V",),
    ),
    ActionSpec(
        "add_voice_address", ("URL・AivisHub から声を追加…", "Add voice from URL…"), ("声をダウンロードします。", "Downloads a voice.")
    ),
    ActionSpec(
        "voice_library",
        ("声の管理…", "Voice library…"),
        ("声の一覧、更新、削除。", "Lists, updates, renames and deletes voices."),
        ("Ctrl+Shift+L",),
    ),
    ActionSpec(
        "add_bert",
        ("BERT のファイルを追加…", "Add BERT file…"),
        ("声に必要な BERT モデルを追加します。", "Adds a BERT model that voices require."),
    ),
    ActionSpec(
        "measure",
        ("バックエンドを測定", "Measure backends"),
        ("この声を最も速く合成できるバックエンドを測定します。", "Finds the fastest backend for this voice."),
    ),
    ActionSpec(
        "export",
        ("まとめて書き出す…", "Export…"),
        (
            "名前、形式、字幕などを選んで音声ファイルを書き出します。",
            "Writes audio files, with names, formats and subtitles of your choice.",
        ),
        ("Ctrl+E",),
    ),
    ActionSpec(
        "save_line",
        ("選んだ行の音声を書き出す…", "Export selected lines…"),
        ("選んだ行を音声ファイルに保存します。", "Saves the selected lines as audio files."),
        list_keys=("E",),
        drawing="save",
    ),
    ActionSpec(
        "save_all",
        ("すべての行を書き出す…", "Export all lines…"),
        ("行ごとに 1 つの音声ファイルに保存します。", "Saves one audio file per line."),
    ),
    ActionSpec(
        "save_joined",
        ("1 つのファイルに書き出す…", "Export as one file…"),
        ("すべての行をつなげて 1 つの音声ファイルに保存します。", "Saves all lines as a single audio file."),
        ("Ctrl+Shift+E",),
    ),
    ActionSpec("quit", ("終了", "Quit"), keys=("Ctrl+Q",), is_everywhere=True),
    ActionSpec("undo", ("元に戻す", "Undo"), keys=("Ctrl+Z",), drawing="undo"),
    ActionSpec("redo", ("やり直す", "Redo"), keys=("Ctrl+Y", "Ctrl+Shift+Z"), drawing="redo"),
    ActionSpec("cut", ("切り取り", "Cut"), list_keys=("Ctrl+X",)),
    ActionSpec("copy", ("コピー", "Copy"), list_keys=("Ctrl+C",)),
    ActionSpec(
        "copy_sound",
        ("音声ファイルをコピー", "Copy sound file"),
        (
            "選んだ行の音声を、ほかのアプリに貼り付けられるファイルとしてコピーします。",
            "Copies the sound of the selected lines as files that you can paste into other programs.",
        ),
        ("Ctrl+Shift+C",),
    ),
    ActionSpec("paste", ("貼り付け", "Paste"), list_keys=("Ctrl+V",)),
    ActionSpec("find", ("検索…", "Find…"), ("行の中の言葉を探します。", "Finds words in the lines."), ("Ctrl+F",)),
    ActionSpec("replace", ("置換…", "Replace…"), ("行の中の言葉を置き換えます。", "Replaces words in the lines."), ("Ctrl+H",)),
    ActionSpec(
        "go_to_line",
        ("行へ移動…", "Go to line…"),
        ("行の番号を入力して、その行を選びます。", "Selects the line with a number that you type."),
        ("Ctrl+G",),
    ),
    ActionSpec("select_all", ("すべての行を選択", "Select all lines"), keys=("Ctrl+A",)),
    ActionSpec(
        "add_line",
        ("行を追加", "Add line"),
        ("選んだ行の下に、同じ設定の空の行を追加します。", "Adds an empty line with the same settings below the selected one."),
        ("Shift+Return", "Shift+Enter"),
        drawing="add",
    ),
    ActionSpec(
        "edit_line",
        ("行を編集", "Edit line"),
        ("選んだ行のテキストを編集します。", "Edits the text of the selected line."),
        list_keys=("F2", "Return", "Enter"),
    ),
    ActionSpec(
        "duplicate",
        ("行を複製", "Duplicate"),
        ("選んだ行を複製します。", "Duplicates the selected lines."),
        ("Ctrl+D",),
        drawing="duplicate",
    ),
    ActionSpec(
        "delete", ("行を削除", "Delete"), ("選んだ行を削除します。", "Deletes the selected lines."), ("Shift+Del",), ("Del",), "delete"
    ),
    ActionSpec(
        "read_english",
        ("すべての行の英語を英語で読む", "Read all lines' English in English"),
        (
            "すべての行と登場人物で、英単語や英文を英語で読みます。オフにするとカタカナで読みます。",
            "Reads English words and sentences of all lines and characters in English; off reads them as katakana.",
        ),
        checkable=True,
    ),
    ActionSpec(
        "split_here",
        ("カーソル位置で分割", "Split here"),
        ("編集中の行を、カーソルの位置で 2 行に分けます。", "Splits the line being edited in two at the cursor."),
        ("Alt+Return", "Alt+Enter"),
    ),
    ActionSpec(
        "split_sentences",
        ("「。」で分割", "Split at 。"),
        ("選んだ行を 1 文ずつの行に分けます。", "Gives each sentence of the selected lines a line of its own."),
    ),
    ActionSpec(
        "join_lines",
        ("行を結合", "Join lines"),
        (
            "選んだ行を 1 行にまとめます。1 行だけのときは次の行とつなげます。",
            "Makes one line of the selected lines, or of the selected line and the next.",
        ),
        ("Ctrl+J",),
    ),
    ActionSpec(
        "move_up", ("上に移動", "Move up"), ("選んだ行を 1 つ上に移動します。", "Moves the selected lines up."), ("Alt+Up",), drawing="up"
    ),
    ActionSpec(
        "move_down",
        ("下に移動", "Move down"),
        ("選んだ行を 1 つ下に移動します。", "Moves the selected lines down."),
        ("Alt+Down",),
        drawing="down",
    ),
    ActionSpec(
        "show_cast",
        ("登場人物の一覧…", "Characters…"),
        (
            "登場人物の声、色、セリフの数を表示し、配役を変更します。",
            "Shows the characters with their voices, colours and lines, and recasts them.",
        ),
        ("Ctrl+Shift+K",),
    ),
    *map(_define_character_action, CHARACTER_KEYS),
    ActionSpec(
        "character_none",
        ("登場人物なし", "No character"),
        (
            "選んだ行から登場人物を外します。声と設定はそのままです。",
            "Takes the character off the selected lines; voice and settings stay.",
        ),
        ("Alt+0",),
    ),
    ActionSpec(
        "reset_deviations",
        ("登場人物の設定に戻す", "Use character's settings"),
        ("選んだ行の声と設定を、登場人物のものに戻します。", "Gives the selected lines the voice and settings of their character again."),
    ),
    ActionSpec(
        "select_character",
        ("同じ登場人物の行を選択", "Select lines of character"),
        ("選んだ行と同じ登場人物の行をすべて選びます。", "Selects all lines of the characters of the selected lines."),
    ),
    ActionSpec(
        "audition_character",
        ("登場人物のオーディション…", "Audition character…"),
        ("選んだ行の登場人物のセリフを、いろいろな声で聞き比べます。", "Compares lines of the selected line's character in many voices."),
    ),
    ActionSpec(
        "play",
        ("再生／停止", "Play / stop"),
        ("選んだ行を再生します。", "Plays the selected line."),
        # Qt calls the key of the number pad Enter, and the other one Return.
        ("Ctrl+Return", "Ctrl+Enter"),
        ("Space",),
        "play",
    ),
    ActionSpec(
        "play_through",
        ("連続再生", "Play from here"),
        ("選んだ行から最後まで続けて再生します。", "Plays from the selected line to the end without gaps."),
        ("Ctrl+Shift+Return", "Ctrl+Shift+Enter"),
        ("Shift+Space",),
        "play_all",
    ),
    ActionSpec(
        "audition",
        ("オーディション…", "Audition…"),
        (
            "選んだ行を、いろいろな声・スタイル・強さで聞き比べます。",
            "Compares the selected lines in many voices, styles and style weights.",
        ),
        ("Ctrl+B",),
    ),
    ActionSpec(
        "blind_test",
        ("ブラインドテスト…", "Blind test…"),
        (
            "スターを付けたテイクを、名前を隠して聞き比べます。途中のテストがあれば続きから始めます。",
            "Compares starred takes with their names hidden, or resumes an unfinished test.",
        ),
    ),
    ActionSpec(
        "fast_test",
        ("ブラインドテスト: 高精度と高速…", "Blind test: exact vs fast…"),
        (
            "選んだ行を、音声合成の精度だけを変えて聞き比べます。",
            "Compares the selected lines in both precisions of the synthesis, with their names hidden.",
        ),
    ),
    ActionSpec(
        "bert_test",
        ("ブラインドテスト: BERT の高精度と高速…", "Blind test: BERT exact vs fast…"),
        (
            "選んだ行を、BERT の精度だけを変えて聞き比べます。",
            "Compares the selected lines in both precisions of BERT, with their names hidden.",
        ),
    ),
    ActionSpec("stop", ("停止", "Stop"), keys=("Esc",)),
    ActionSpec(
        "loop", ("リピート再生", "Loop"), ("最後まで再生したら先頭に戻ります。", "Starts over at the end."), drawing="loop", checkable=True
    ),
    ActionSpec(
        "live",
        ("変更時に自動再生", "Auto-play"),
        ("設定やテキストを変更するたびに、その行を再生します。", "Plays the line again after each change."),
        drawing="live",
        checkable=True,
    ),
    ActionSpec(
        "follow",
        ("再生中の行を選択", "Follow playback"),
        (
            "連続再生のあいだ、再生している行を選択し、読みと設定を表示します。",
            "Selects each line as it plays, so that its reading and settings are shown.",
        ),
        checkable=True,
    ),
    ActionSpec(
        "show_strip",
        ("読みとアクセント", "Reading and accent"),
        ("選んだ行の読み、アクセント、波形の表示を切り替えます。", "Shows or hides the reading, accent and waveform of the selected line."),
        ("Ctrl+R",),
        checkable=True,
    ),
    ActionSpec(
        "show_melody",
        ("イントネーション", "Melody"),
        (
            "読みとアクセントの下に、音の高さを表示するかどうかを切り替えます。",
            "Shows or hides the pitch of each sound under the reading and accent.",
        ),
        ("Ctrl+M",),
        checkable=True,
    ),
    ActionSpec(
        "melody_raise_end",
        ("語尾を上げる", "Rise at the end"),
        (
            "選んだ音を含む文の語尾を、質問のように上げます。繰り返すと、さらに上がります。",
            "Raises the end of the sentence of the selected sound, as in a question; further each time.",
        ),
        ("Ctrl+Shift+Up",),
    ),
    ActionSpec(
        "melody_pen",
        ("イントネーションをペンで描く", "Draw melody with pen"),
        ("ドラッグした線が、そのまま音の高さになります。", "Gives the sounds the pitch that you draw across them."),
        drawing="pen",
        checkable=True,
    ),
    ActionSpec(
        "melody_smooth",
        ("イントネーションをなめらかにする", "Smooth melody"),
        (
            "選んだアクセント句の音の高さを、前後の音に近づけます。",
            "Brings the pitches of the selected accent phrase nearer to each other.",
        ),
    ),
    ActionSpec(
        "melody_flatten",
        ("イントネーションを平らにする", "Flatten melody"),
        ("選んだアクセント句を、同じ高さで読みます。", "Speaks the selected accent phrase at one pitch."),
    ),
    ActionSpec(
        "melody_copy",
        ("イントネーションをコピー", "Copy melody"),
        ("選んだアクセント句のイントネーションをコピーします。", "Copies the melody of the selected accent phrase."),
    ),
    ActionSpec(
        "melody_paste",
        ("イントネーションを貼り付け", "Paste melody"),
        (
            "コピーしたイントネーションを、選んだアクセント句に貼り付けます。",
            "Gives the selected accent phrase the melody that was copied.",
        ),
    ),
    ActionSpec(
        "melody_reset",
        ("イントネーションをリセット", "Reset melody"),
        (
            "選んだアクセント句を、声そのもののイントネーションに戻します。",
            "Restores the voice's own melody in the selected accent phrase.",
        ),
    ),
    ActionSpec(
        "keep_take",
        ("テイクを保存", "Keep take"),
        ("この行で直前に再生した音声をテイクとして保存します。", "Keeps the audio that you last heard for this line as a take."),
        ("Ctrl+T",),
    ),
    ActionSpec(
        "more_takes",
        ("テイクを 5 個作成", "Make 5 takes"),
        ("シードの異なるテイクを作成し、聞き比べて選べるようにします。", "Makes takes with other seeds to choose from."),
        ("Ctrl+Shift+T",),
        drawing="dice",
    ),
    ActionSpec(
        "delete_takes",
        ("テイクをすべて削除…", "Delete all takes…"),
        ("この台本のテイクを、音声ごと削除します。", "Deletes the takes of this script with their sound."),
    ),
    ActionSpec(
        "show_takes",
        ("テイクの一覧", "Takes"),
        ("選んだ行のテイクの一覧の表示を切り替えます。", "Shows or hides the takes of the selected line."),
        ("Ctrl+Shift+R",),
        checkable=True,
    ),
    ActionSpec(
        "focus_messages",
        ("通知へ移動", "Go to messages"),
        (
            "キーボードの操作を最新の通知に移します。Tab でボタンへ移動、Esc で閉じます。もう一度押すと台本に戻ります。",
            "Moves the keyboard to the newest message: Tab reaches its buttons, Esc closes it. Press again to return to the script.",
        ),
        ("F6",),
    ),
    ActionSpec("past_messages", ("通知の履歴…", "Past messages…"), ("これまでの通知を一覧で表示します。", "Lists past messages.")),
    ActionSpec(
        "always_on_top",
        ("常に手前に表示", "Always on top"),
        ("ウィンドウをほかのウィンドウの手前に表示し続けます。", "Keeps the window in front of others."),
        checkable=True,
    ),
    ActionSpec("full_screen", ("全画面表示", "Full screen"), keys=("F11",), checkable=True),
    ActionSpec(
        "read_clipboard",
        ("クリップボードを読み上げる", "Read clipboard aloud"),
        ("コピーしたテキストを、台本に追加せずに読み上げます。", "Speaks the text that you copied, without adding it to the script."),
    ),
    ActionSpec(
        "pause_reading",
        ("読み上げを一時停止／再開", "Pause/resume reading"),
        (
            "コピーしたテキストなどの読み上げを一時停止し、もう一度選ぶとその続きから再開します。",
            "Pauses the reading of copied and other texts; resumes it there when you choose it again.",
        ),
    ),
    ActionSpec(
        "show_mini_player",
        ("ミニプレイヤーを表示", "Show mini player"),
        ("ミニプレイヤーを表示し、キーボードで操作できるようにします。", "Shows the mini player and lets you use its keys."),
    ),
    ActionSpec(
        "find_command",
        ("コマンドを検索…", "Find a command…"),
        ("コマンドを名前で検索して実行します。", "Finds and runs any command by name."),
        ("Ctrl+K",),
        drawing="search",
    ),
    ActionSpec(
        "settings",
        ("設定…", "Settings…"),
        ("言語、配色、声の読み込み、ショートカットキーなどを変更します。", "Language, theme, voice loading, shortcuts and more."),
        ("Ctrl+,",),
        drawing="settings",
    ),
    ActionSpec(
        "dictionary",
        ("ユーザー辞書…", "User dictionary…"),
        ("単語の読みとアクセントを登録します。", "Sets the reading and accent of words in every text."),
        ("Ctrl+U",),
    ),
    ActionSpec("user_guide", ("使い方…", "User guide…"), ("使い方を調べます。", "Explains how to use Koebako."), ("F1",)),
    ActionSpec(
        "tour",
        ("20 秒のツアー", "Tour in 20 seconds"),
        ("ウィンドウの各部分を順に紹介します。", "Shows what the parts of the window are for."),
    ),
    ActionSpec(
        "diagnose",
        ("診断…", "Diagnostics…"),
        ("動作に必要なものが揃っているか確認します。", "Checks that everything required is available."),
    ),
    ActionSpec(
        "lab",
        ("ラボ…", "Lab…"),
        (
            "声と BERT の構成、速さ、正しさを調べます。",
            "Shows what voices and BERTs are made of, how fast they run, and whether their results are correct.",
        ),
    ),
    ActionSpec("show_log", ("ログ…", "Log…"), ("ログを表示します。", "Shows the log.")),
    ActionSpec(
        "open_data",
        ("データフォルダーを開く", "Open data folder"),
        ("設定、声、ログの保存先を開きます。", "Opens the folder with settings, voices and logs."),
    ),
    ActionSpec("whats_new", ("更新履歴…", "What's new…"), ("バージョンごとの変更点を表示します。", "Shows what changed in each version.")),
    ActionSpec(
        "about", ("Koebako について…", "About Koebako…"), ("バージョンとライセンスを表示します。", "Shows the version and licences.")
    ),
)
