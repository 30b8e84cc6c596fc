"""The page that shows captions in OBS's browser source, and the rules that browsers keep for it.

Strangers write what it shows: their words become text of the page and nothing else, and no other page may read or frame it. Styles may be added in
OBS ("Custom CSS"), which it does by an element of the page; scripts may not.
"""

import base64
import hashlib

PAGE_PATH, STATE_PATH = "/captions", "/captions/now"

_OUTLINE = ", ".join(f"{across}em {down}em 0.02em #10131a" for across in (-0.06, 0, 0.06) for down in (-0.06, 0, 0.06) if across or down)
# Outlined by shadows: a stroke would cover the letters in the browser of older versions of OBS.
CAPTION_STYLE = """
html, body { background: transparent; margin: 0; height: 100%; overflow: hidden; }
body { display: flex; flex-direction: column; justify-content: flex-end; padding: 0 4vw 4vh; box-sizing: border-box; color: #fff;
  font: 700 clamp(24px, 7vh, 64px)/1.35 "Noto Sans JP", "Yu Gothic UI", "Hiragino Sans", "Noto Sans CJK JP", sans-serif;
  text-shadow: OUTLINE; }
#who, #text { unicode-bidi: isolate; overflow: hidden; }
#who { font-size: 0.6em; color: #ffd479; white-space: nowrap; text-overflow: ellipsis; }
#text { max-height: 5.4em; overflow-wrap: anywhere; }
#text.long { font-size: 0.7em; }
#word { color: #5ee6ff; }
""".replace("OUTLINE", _OUTLINE)
CAPTION_SCRIPT = """
"use strict";
const byId = (id) => document.getElementById(id);
const pause = (ms) => new Promise((done) => setTimeout(done, ms));
function show(state) {
  const letters = Array.from(state.text), [start, end] = state.word;
  byId("who").textContent = state.who;
  byId("before").textContent = letters.slice(0, start).join("");
  byId("word").textContent = letters.slice(start, end).join("");
  byId("after").textContent = letters.slice(end).join("");
  byId("text").className = letters.length > 60 ? "long" : "";
  if (end > start) byId("word").scrollIntoView({ block: "nearest" });
  else byId("text").scrollTop = 0;
}
const nothing = { version: -1, who: "", text: "", word: [0, 0] };
async function follow() {
  let state = nothing;
  for (;;) {
    let next = nothing;
    try {
      const answer = await fetch("/captions/now?after=" + state.version, { cache: "no-store" });
      if (answer.ok) next = await answer.json();
    } catch (error) { /* Koebako is closed: ask again soon */ }
    if (next.version !== state.version) show(next);
    if (next.version === state.version || next === nothing) await pause(next === nothing ? 1000 : 200);
    state = next;
  }
}
follow();
"""
CAPTION_PAGE = f"""<!DOCTYPE html>
<html><head><meta charset="utf-8"><title>Koebako</title><style>{CAPTION_STYLE}</style></head>
<body><div id="who"></div><div id="text"><span id="before"></span><span id="word"></span><span id="after"></span></div>
<script>{CAPTION_SCRIPT}</script></body></html>
""".encode()

_SCRIPT_HASH = base64.b64encode(hashlib.sha256(CAPTION_SCRIPT.encode()).digest()).decode()
_POLICY = {
    "default-src": "'none'", "script-src": f"'sha256-{_SCRIPT_HASH}'", "style-src": "'unsafe-inline'", "connect-src": "'self'",
    "frame-ancestors": "'none'", "base-uri": "'none'", "form-action": "'none'",
}  # fmt: skip
CAPTION_HEADERS = (
    f"Content-Security-Policy: {'; '.join(f'{name} {value}' for name, value in _POLICY.items())}",
    "X-Content-Type-Options: nosniff",
    "Cross-Origin-Resource-Policy: same-origin",
    "Referrer-Policy: no-referrer",
    "Cache-Control: no-store",
)
