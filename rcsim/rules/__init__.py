"""The ruleset as data: schema, loader, checker and packer. No Numba here."""
