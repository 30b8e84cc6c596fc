"""How long graphs should take on this machine, and where their time goes instead."""
