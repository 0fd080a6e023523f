"""The independent oracle: the rules once more, in plain and slow Python, to judge traces of games.

It shares no code with the package. Section numbers in its docstrings are those of the rules page, ruling numbers
those of docs/rulings.md.
"""
