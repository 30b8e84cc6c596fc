"""Attacks the program for as long as wanted: `python -m tests.campaigns.attack --minutes 60 --jobs 2`; on Linux.

Strangers' voices, texts, parameters and servers, our own files damaged in every way, processes killed, two at once, windows over damaged
folders. Nothing may end by a signal, with 70 or a traceback, stand still, take more than 2 GB, touch what is not its own, leave half a
file, lose a word, a voice or a line, or send an escape to the terminal. Ends with 1 where anything was found, each with a line to meet it again.
"""

import argparse
import json
import sys
import time
from pathlib import Path

from tests.campaigns.attack.campaign import Campaign, Finding, Tally
from tests.campaigns.attack.registry import SHARES
from tests.campaigns.attack.report import shown, table, values

LONGEST_ONLY_MIN = 10.0


def main() -> int:
    """The whole attack; 1 where it found something."""
    parser = argparse.ArgumentParser(prog="python -m tests.campaigns.attack", description=__doc__)
    parser.add_argument("--minutes", type=float, default=5.0)
    parser.add_argument("--tries", type=int, default=0, help="so many of each area instead of the minutes")
    parser.add_argument("--seed", help="any word; the same word makes the same tries")
    parser.add_argument("--area", action="append", metavar="NAME", help=f"only these: {', '.join(SHARES)}")
    parser.add_argument("--jobs", type=int, default=1, help="processes side by side")
    parser.add_argument("--only", type=int, metavar="NUMBER", help="this one try of the area")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write what was found there, too")
    options = parser.parse_args()
    if options.only is not None and len(options.area or ()) != 1:
        parser.error("--only needs one --area")
    if not sys.platform.startswith("linux"):
        parser.error("processes are watched as Linux shows them")
    seed = options.seed or str(time.time_ns() // 1_000_000)
    shares = {name: SHARES.get(name, 1.0) for name in options.area or SHARES}
    minutes = options.minutes if options.only is None else LONGEST_ONLY_MIN
    campaign = Campaign(shares, seed, minutes, options.jobs, _tell, _tell_turn, tries=options.tries)
    print(f"seed {seed}, {minutes:g} minutes, jobs {options.jobs}: {', '.join(shares)}", flush=True)
    campaign.run() if options.only is None else campaign.only(options.only)
    print(table(campaign.tallies))
    print(f"seed of all areas: {seed}", flush=True)
    if options.json is not None:
        options.json.write_text(json.dumps(values(campaign.tallies, seed), ensure_ascii=True, indent=1), encoding="utf-8")
    return 1 if any(tally.findings for tally in campaign.tallies.values()) else 0


def _tell(finding: Finding, new: bool) -> None:
    """The first of a kind in full, the others in the table."""
    if new:
        print(shown(finding), flush=True)


def _tell_turn(area: str, tally: Tally) -> None:
    """A line now and then, for those who wait."""
    print(f"{time.strftime('%H:%M:%S')}  {area}: {tally.tries:,} tries, {len(tally.findings)} findings, {tally.seconds:.0f} s", flush=True)


if __name__ == "__main__":
    sys.exit(main())
