"""Graphs on devices other than the CPU; nothing here is imported before one is put on such a device."""
