"""The Model Context Protocol: agents speak, read timings and write sound files through `koebako mcp`."""
