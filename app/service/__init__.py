"""The local service: programs that speak VOICEVOX's HTTP interface, or OpenAI's, get Koebako's voices."""
