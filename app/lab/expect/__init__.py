"""Estimates how long graphs should take on this machine, and shows where their time goes instead."""
