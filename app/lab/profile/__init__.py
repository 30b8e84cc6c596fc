"""Where the time of a voice or a BERT goes: stage by stage, module by module, operator by operator; and its memory."""
