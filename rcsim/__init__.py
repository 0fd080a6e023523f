"""rcsim: a fast Monte Carlo simulator of the board game The Red Cathedral."""

__version__ = "0.1.0"
