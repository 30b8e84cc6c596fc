"""Everything that speaks, without Qt: voices that are open, jobs and their results, the output device."""
