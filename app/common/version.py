"""The version of the program; everything else, the package's metadata too, reads it here."""

VERSION = "1.0.0"
