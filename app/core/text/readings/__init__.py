"""Readings that the analyser gets wrong: rules with neighbours, words of our own, a second analyser for words it knows better.

`corrections` works on the analyser's words, before accents are joined, so that the front end itself computes the accents of what changes.
"""
