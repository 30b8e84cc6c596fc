"""Looks into voices and BERTs, proves them, times them and shows what they could run on; nothing here changes one."""
