"""The planner: thinks whole turns through and takes the one after which the position is worth most.

`scale.py` says what things are worth at this point of the game, `towers.py`, `evaluation.py` and `view.py` what a
position is, and `effects.py` what an effect would do to a view; `claims.py`, `building.py` and `market.py` with
`visit.py` find the best action of their kind, and `turn.py` chooses among them. `exhaustive.py` is their measure.
"""
