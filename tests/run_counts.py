"""What `tests.run_figures` counts, for whatever opens windows: it imports nothing, as some of them look at what a start imports."""

from collections import Counter

counts: Counter[str] = Counter()
