"""Many clients at once: none is lost, and none waits for one that is slow."""

import threading
from collections import Counter

import httpx

from tests.service.conftest import Serve

TEXTS = ("はい。", "雨が降る。", "次はどこへ行きますか？", "おはよう。")


def test_eight_clients(serve: Serve, at_length: bool) -> None:
    """Queries and sound in turn; what the same query gives is always the same."""
    each = 100 if at_length else 10
    results: Counter[tuple[int, str, int]] = Counter()
    lock = threading.Lock()

    def ask(number: int) -> None:
        with httpx.Client(base_url=url, timeout=120) as own:
            for index in range(each // 2):
                text = TEXTS[(number + index) % len(TEXTS)]
                query = own.post("/audio_query", params={"text": text, "speaker": style})
                sound = own.post("/synthesis", params={"speaker": style}, content=query.content)
                with lock:
                    results[query.status_code, "query", 0] += 1
                    results[sound.status_code, text, len(sound.content)] += 1

    with serve() as url:
        style = httpx.get(f"{url}/speakers").json()[0]["styles"][0]["id"]
        threads = [threading.Thread(target=ask, args=(number,)) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(300)
    assert sum(results.values()) == 8 * each
    assert {status for status, _, _ in results} == {200}
    assert len(results) == 1 + len(TEXTS)
