"""Stands for our command line in tests of long work: prints what it is told to, and ends as it is told to."""

import json
import sys
import time


def main() -> int:
    """`fake_child.py SCRIPT ARGUMENTS…`: the script is JSON, a list of [seconds to wait, line], then the exit code."""
    sys.stdout.reconfigure(encoding="utf-8")  # type: ignore[union-attr]
    script = json.loads(sys.argv[1])
    accepted = "--accept-licence" in sys.argv
    for wait_s, line in script["lines"]:
        time.sleep(wait_s)
        if isinstance(line, dict) and line.get("type") == "licence" and accepted:
            print(json.dumps({"type": "voice", "id": "a", "name": "A"}), flush=True)
            return 0
        print(line if isinstance(line, str) else json.dumps(line, ensure_ascii=False), flush=True)
    return int(script.get("code", 0))


if __name__ == "__main__":
    sys.exit(main())
