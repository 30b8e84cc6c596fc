"""Kokoro-82M (StyleTTS 2 with an iSTFTNet decoder) as a prepared voice: its weights, read from the int8 file, in three graphs of our own.

The architecture is that of Li et al. 2023 (StyleTTS 2) and Kaneko et al. 2022 (iSTFTNet), in the sizes of hexgrad's Kokoro-82M.
"""
