"""Profiles the time of a voice or a BERT: stage by stage, module by module, operator by operator; and its memory."""
