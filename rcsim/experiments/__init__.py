"""Experiments: a design becomes cells, cells become parts, parts become Parquet. No statistics here.

`design` reads what is asked for and `crossing` makes `cells` of it. `schedule` says what is played when, `runner` has
`backends` play it, and `work` is what each of them does. `schema` says what is stored, `store` where it lies.
"""
