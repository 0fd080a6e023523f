"""The planner: thinks whole turns through and takes the one after which the position is worth most.

`evaluation.py` says what a position is worth, `view.py` what a seat would hold, `effects.py` what an effect would do to
that; `claims.py`, `building.py` and `market.py` with `visit.py` find the best action of their kind, and `turn.py`
chooses among them.
"""
