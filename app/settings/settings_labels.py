"""The labels of the settings dialog. The values themselves are in `app.settings.user_settings`."""

from dataclasses import dataclass

BilingualText = tuple[str, str]  # in Japanese and in English


@dataclass(frozen=True, slots=True)
class SettingLabel:
    """The words of a setting in the dialog."""

    title: BilingualText
    tip: BilingualText
    choices: tuple[BilingualText, ...] = ()  # words for the values of `choices` in the metadata, in their order
    unit: BilingualText = ("", "")
    lowest: BilingualText = ("", "")
    switch: BilingualText = ("", "")
    folder: bool = False  # the value is a folder; empty stands for the usual one, or for what `placeholder` says
    placeholder: BilingualText = ("", "")  # the value is a line of text, or a folder; this appears in its empty field
    key: bool = False  # the value is a key with modifiers; empty stands for none
    restart: bool = False


GENERAL_LABELS = {
    "language": SettingLabel(
        ("言語", "Language"),
        ("ウィンドウとメッセージの言語を選びます。", "Language of the window and its messages."),
        choices=(("システムの設定に合わせる", "Use system setting"), ("日本語", "日本語"), ("English", "English")),
        restart=True,
    ),
    "theme": SettingLabel(
        ("配色", "Theme"),
        ("ウィンドウの配色を選びます。", "Colour theme of the window."),
        choices=(("システムの設定に合わせる", "Use system setting"), ("ライト", "Light"), ("ダーク", "Dark")),
    ),
    "text_size": SettingLabel(
        ("文字の大きさ", "Text size"),
        ("ウィンドウ全体の文字の大きさを選びます。", "Size of all text in the window."),
        choices=(("小", "Small"), ("標準", "Normal"), ("大", "Large"), ("特大", "Largest")),
        restart=True,
    ),
    "device": SettingLabel(("再生デバイス", "Output device"), ("音声を再生するデバイスを選びます。", "Device that plays the audio.")),
    "built_in_words": SettingLabel(
        ("付属の辞書", "Built-in dictionary"),
        (
            "商品名や作品名、慣用句などの読みとアクセントです。ユーザー辞書の単語が優先されます。",
            "Readings and accents of brands, titles and set phrases. Words in your user dictionary take precedence.",
        ),
        switch=("付属の辞書を使う", "Use the built-in dictionary"),
    ),
    "memos_everywhere": SettingLabel(
        ("メモ", "Memos"),
        (
            "VOICEVOX や AivisSpeech のプロジェクトから読み込んだ行では、この設定にかかわらず読み上げません。",
            "In lines from VOICEVOX and AivisSpeech projects they are never read aloud, whatever is set here.",
        ),
        switch=("[ ] で囲んだ部分を読み上げない", "Do not read text in [ ] aloud"),
    ),
    "links": SettingLabel(
        ("URL の読み上げ", "Web addresses"),
        (
            "「ホスト名だけ」では、https://example.com/news を「イグザンプル ドット コム」と読みます。",
            "“Host name only” reads https://example.com/news as “example dot com”.",
        ),
        choices=(("ホスト名だけ", "Host name only"), ("すべて", "In full"), ("読み上げない", "Not at all")),
    ),
    "update_notices": SettingLabel(
        ("新しいバージョン", "New versions"),
        (
            "週に 1 回インターネットで確認します。送信するのはバージョン番号だけです。自動ではインストールしません。",
            "Asks once a week and sends only the version number. Nothing is installed by itself.",
        ),
        switch=("新しいバージョンを知らせる", "Notify me of new versions"),
    ),
    "log_words": SettingLabel(
        ("ログ", "Log"),
        (
            "不具合の調査に役立ちますが、読み上げたテキストや辞書の単語がログに残ることがあります。",
            "Helps to diagnose problems, but the log may then contain your text and dictionary words.",
        ),
        switch=("エラーの詳細も記録する", "Log error details"),
    ),
}
VOICE_LABELS = {
    "bert_precision": SettingLabel(
        ("BERT の精度", "BERT precision"),
        (
            "「自動」では、音の長さが変わらないと確認できた場合だけ「高速」を使います。「高速」では、抑揚がわずかに変わることがあります。",
            "Auto uses Fast only where it does not change any durations. Fast may change the intonation slightly.",
        ),
        choices=(("自動", "Auto"), ("高精度", "Exact"), ("高速", "Fast")),
    ),
    "sound_precision": SettingLabel(
        ("音声合成の精度の既定値", "Default synthesis precision"),
        (
            "個別に選んでいない声に使います。声ごとの設定は、声のカードか声の管理で選べます。「高速」は計算の一部を簡略にするため約 2〜3 倍（自然な声は約 1.2 倍）"
            "速くなりますが、音がわずかに変わります。準備したときに「高精度」と比べて差が小さかった声だけで使えます。",
            "For voices without a choice of their own, which you make on a voice's card or in the library. “Fast” simplifies part of the computation: "
            "two to three times as fast (the natural voice: 1.2 times), with a very slightly different sound. It is available for voices that stayed close to “Exact” when they were prepared.",
        ),
        choices=(("高精度", "Exact"), ("高速", "Fast")),
    ),
    "load_voice": SettingLabel(
        ("声を読み込むタイミング", "When to load the voice"),
        (
            "「起動時」は最初の再生がすぐに始まり、「最初の再生時」は再生するまでメモリーを使いません。",
            "“At startup” makes the first playback start sooner; “On first playback” uses no memory until you play a line.",
        ),
        choices=(("起動時", "At startup"), ("最初の再生時", "On first playback")),
        restart=True,
    ),
    "prepare_first": SettingLabel(
        ("先に合成してから再生", "Prepare phrases first"),
        (
            "フレーズをすべて合成してから再生します。声の計算が追いつかないコンピューターでも途切れませんが、再生が始まるまでの時間は長くなります。",
            "Plays a phrase once all of it is computed. On a computer that is too slow for the voice nothing is cut, but playback starts later.",
        ),
    ),
    "unload_after_min": SettingLabel(
        ("未使用の声をメモリーから解放", "Unload idle voices after"),
        (
            "この時間使わなかった声をメモリーから解放します。次に再生するときに再び読み込みます。",
            "Frees the memory of voices that have not been used for this long; the next playback loads them again.",
        ),
        unit=(" 分", " min"),
        lowest=("解放しない", "never"),
    ),
    "disk_cache_mib": SettingLabel(
        ("BERT のディスクキャッシュ", "BERT disk cache"),
        (
            "同じ文をもう一度再生するときに、BERT の計算を省略します。テキスト自体は保存しません。",
            "Skips the BERT for sentences played before. The text itself is not stored.",
        ),
        unit=(" MiB", " MiB"),
        lowest=("使用しない", "off"),
        restart=True,
    ),
    "aivisspeech_folder": SettingLabel(
        ("AivisSpeech の声のフォルダー", "AivisSpeech voices folder"),
        (
            "空欄の場合は既定のフォルダーを使います。off と入力すると使いません。",
            "Leave empty for the default folder; enter “off” to hide these voices.",
        ),
        folder=True,
    ),
}
SERVICE_LABELS = {
    "service": SettingLabel(
        ("サービス", "Service"),
        (
            "VOICEVOX に対応したアプリから Koebako の声を使えるようにします。このコンピューターからのみ接続できます。",
            "Lets programs that work with VOICEVOX use Koebako's voices. Only this computer can connect.",
        ),
        switch=("サービスを起動する", "Run the service"),
    ),
    "service_port": SettingLabel(
        ("ポート番号", "Port"),
        (
            "接続するアプリに設定する番号です。50021 にすると VOICEVOX の代わりになります。",
            "The number to enter in other programs. Use 50021 to replace VOICEVOX.",
        ),
    ),
    "service_changes": SettingLabel(
        ("変更の許可", "Changes"),
        (
            "接続したアプリが、プリセットとユーザー辞書を変更できるようにします。",
            "Lets other programs change the presets and your user dictionary.",
        ),
        switch=("プリセットと辞書の変更を許可する", "Allow changes to presets and dictionary"),
    ),
    "chat_reader": SettingLabel(
        ("コメントの読み上げ", "Chat reader"),
        (
            "コメントビューアーから「棒読みちゃん」として接続し、コメントを読み上げます。このコンピューターからのみ接続できます。",
            "Reads comments aloud: comment viewers connect as they do to BouyomiChan. Only this computer can connect.",
        ),
        switch=("コメントを読み上げる", "Read comments aloud"),
    ),
    "chat_port": SettingLabel(
        ("コメントのポート番号", "Chat port"), ("通常は 50001 のままで使用できます。", "Comment viewers expect 50001.")
    ),
    "chat_http_port": SettingLabel(
        ("コメントの HTTP ポート番号", "Chat port (HTTP)"),
        ("/Talk で接続するアプリ用です。通常は 50080 のままで使用できます。", "For programs that use /Talk; they expect 50080."),
    ),
    "chat_waiting": SettingLabel(
        ("待ち件数の上限", "Waiting comments"),
        ("これより多く溜まったコメントは、古いものから省略します。", "Of more than these, the oldest comments are left out."),
        unit=(" 件", " at most"),
    ),
    "chat_latest": SettingLabel(
        ("最新のコメント", "Latest comment"),
        ("新しいコメントが届いたら、待っているコメントを省略します。", "A new comment replaces all that wait."),
        switch=("最新のコメントだけを読み上げる", "Read only the latest comment"),
    ),
    "chat_links": SettingLabel(
        ("コメントの URL", "Links in comments"),
        ("コメントに含まれる URL を読み上げません。", "Addresses of pages in comments are not read."),
        switch=("URL を省略する", "Skip links"),
    ),
    "chat_repeats": SettingLabel(
        ("同じコメント", "Repeated comments"),
        ("直前と同じコメントを読み上げません。", "A comment that equals the one before it is not read."),
        switch=("繰り返しを省略する", "Skip repeats"),
    ),
    "chat_names": SettingLabel(
        ("投稿者の名前", "Names"),
        (
            "オフにすると、コメントの先頭にある「名前：」を読み上げません。",
            "Switched off, a name and a colon at the beginning of a comment are not read.",
        ),
        switch=("名前を読み上げる", "Read names"),
    ),
    "chat_voices": SettingLabel(
        ("声の割り当て", "Voices of comments"),
        (
            "コメントビューアーが指定する番号、または投稿者の名前ごとの、声、または開いているプロジェクトの登場人物です。「;」で区切ります。番号の指定がない場合、0 は選択中の声、1 以降は声の一覧の順です。",
            "The voice, or character of the open project, for each number that a comment viewer sends, and for names of people who write, separated by “;”. Without an entry, 0 is the selected voice, and 1 and up follow the list of voices.",
        ),
        placeholder=("例: 1=mei; 太郎=話者名/スタイル名", "such as 1=mei; Taro=Speaker/Style"),
    ),
    "chat_muted": SettingLabel(
        ("ミュート中の投稿者", "Muted viewers"),
        (
            "コメントの一覧でミュートした投稿者です。この投稿者のコメントは読み上げません。",
            "Those you have muted in the list of comments. Their comments are not read.",
        ),
    ),
    "chat_captions": SettingLabel(
        ("字幕ページ", "Caption page"),
        (
            "OBS のブラウザーソースで、読み上げている言葉を表示できます。アドレスは「コメント」のウィンドウでコピーできます。このコンピューターからのみ開けます。",
            "A browser source in OBS shows the words as they are spoken. Copy its address in the window Comments. Only this computer can open it.",
        ),
        switch=("OBS 用の字幕ページを使う", "Offer a caption page for OBS"),
    ),
    "chat_caption_folder": SettingLabel(
        ("字幕ファイルのフォルダー", "Folder of the caption file"),
        (
            "読み上げている間だけコメントを書き込むファイル「koebako-captions.txt」を、このフォルダーに作ります。空欄の場合は作りません。",
            "Keeps a file koebako-captions.txt there, which holds a comment while it is spoken and is empty otherwise. Leave empty for none.",
        ),
        folder=True,
        placeholder=("使用しない", "not used"),
    ),
    "service_origins": SettingLabel(
        ("Web ページの許可", "Web pages"),
        (
            "サービスとコメントの読み上げを使用できる Web ページのオリジンです。OBS のブラウザーソースなどに使います。空白またはカンマで区切ります。",
            "Origins of pages that may use the service and the chat reader, such as a browser source of OBS, separated by spaces or commas.",
        ),
        placeholder=("例: https://example.com http://localhost:3000", "such as https://example.com http://localhost:3000"),
    ),
    "agent_voices": SettingLabel(
        ("エージェントの声", "Voices of agents"),
        (
            "AI エージェントが最後に選んだ声です。次に声を指定しないときも、この声で話します。",
            "The voice that each agent chose last, and with which it speaks when it names none.",
        ),
    ),
    "drag_texts": SettingLabel(
        ("ドラッグするファイル", "Dragged files"),
        (
            "行やテイクをほかのアプリへドラッグまたはコピーするとき、音声と一緒に渡すファイルを選びます。",
            "What goes with the sound when a line or take is dragged or copied to another program.",
        ),
        choices=(("音声だけ", "Sound only"), ("音声とテキスト", "Sound and text"), ("音声、テキスト、lab", "Sound, text and lab")),
    ),
    "drag_encoding": SettingLabel(
        ("テキストの文字コード", "Text encoding"),
        (
            "ドラッグするテキストと lab の文字コードを選びます。AviUtl では Shift_JIS が必要なことがあります。",
            "Encoding of the dragged text and lab. AviUtl may need Shift_JIS.",
        ),
        choices=(("UTF-8", "UTF-8"), ("Shift_JIS", "Shift_JIS")),
    ),
}
READ_ALOUD_LABELS = {
    "read_tray": SettingLabel(
        ("タスクトレイ", "Tray icon"),
        (
            "コピーしたテキストの読み上げ、一時停止、停止を、アイコンのメニューから操作できます。",
            "Its menu reads what you copied, pauses and stops.",
        ),
        switch=("タスクトレイにアイコンを表示する", "Show an icon in the tray"),
    ),
    "read_close_to_tray": SettingLabel(
        ("閉じるボタン", "Close button"),
        (
            "「タスクトレイ」をオンにすると選べます。ウィンドウを閉じても読み上げを使えます。終了するには、メニューの「終了」を選びます。",
            "Needs the tray icon. Reading aloud stays available. To end Koebako, choose Quit in a menu.",
        ),
        switch=("ウィンドウを閉じてもタスクトレイに残る", "Closing the window keeps Koebako in the tray"),
    ),
    "read_hotkey": SettingLabel(
        ("読み上げのホットキー", "Read aloud hotkey"),
        (
            "ほかのアプリを使っているときも働きます。空欄の場合は使いません。例: Ctrl+Alt+R",
            "Works in every program, as in Ctrl+Alt+R. Leave empty for none.",
        ),
        key=True,
    ),
    "read_source": SettingLabel(
        ("ホットキーで読む内容", "The hotkey reads"),
        (
            "Windows で選択中のテキストを読み上げるには、次の項目もオンにしてください。",
            "On Windows, reading the selection needs the next setting as well.",
        ),
        choices=(("クリップボード", "The clipboard"), ("選択中のテキスト", "The selection")),
    ),
    "read_copy": SettingLabel(
        ("選択中のテキストのコピー", "Copying the selection"),
        (
            "Windows で選択中のテキストを読み上げるとき、Ctrl+C を送ってコピーします。クリップボードの内容は置き換わります。",
            "On Windows, Koebako presses Ctrl+C to read the selection, which replaces what is on the clipboard.",
        ),
        switch=("Ctrl+C を送ることを許可する", "Let Koebako press Ctrl+C"),
    ),
    "read_player": SettingLabel(
        ("ミニプレイヤー", "Mini player"),
        ("読み上げているテキストを、ほかのウィンドウの手前に表示します。", "Shows the text being read in front of other windows."),
        switch=("読み上げ中に表示する", "Show it while reading"),
    ),
    "read_watch": SettingLabel(
        ("クリップボードの監視", "Clipboard watching"),
        (
            "パスワード管理アプリが保護した内容と、同じテキストの繰り返しは読み上げません。",
            "Never reads what a password manager has marked, or the same text twice.",
        ),
        switch=("コピーしたテキストを自動で読み上げる", "Read every text that is copied"),
    ),
    "read_shortest": SettingLabel(
        ("監視: 最短の文字数", "Watching: shortest text"),
        ("これより短いテキストは、コピーしても自動では読み上げません。", "Shorter texts are not read by themselves."),
        unit=(" 文字", " characters"),
    ),
    "read_longest": SettingLabel(
        ("監視: 最長の文字数", "Watching: longest text"),
        ("これより長いテキストは、コピーしても自動では読み上げません。", "Longer texts are not read by themselves."),
        unit=(" 文字", " characters"),
    ),
    "read_skip_links": SettingLabel(
        ("監視: URL", "Watching: web addresses"),
        ("URL だけのテキストが対象です。", "Concerns texts that are nothing but addresses."),
        switch=("URL は読み上げない", "Do not read web addresses"),
    ),
    "read_skipped_programs": SettingLabel(
        ("監視: 除外するアプリ", "Watching: ignored programs"),
        (
            "実行ファイルの名前を、カンマで区切って入力します。Wayland では判別できません。",
            "Names of their executables, separated by commas. Wayland does not tell which program it was.",
        ),
        placeholder=("例: keepassxc, excel", "for example: keepassxc, excel"),
    ),
}
SETTING_LABELS = {"general": GENERAL_LABELS, "voice": VOICE_LABELS, "service": SERVICE_LABELS, "read_aloud": READ_ALOUD_LABELS}
"""The labels of what the dialog shows, by its pages and by names in `Settings`."""

LABEL_BY_SETTING = {name: label for labels in SETTING_LABELS.values() for name, label in labels.items()}
