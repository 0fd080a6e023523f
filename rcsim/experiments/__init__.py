"""Experiments: a design becomes cells, cells become parts, parts become Parquet. No statistics here.

`cells` says what is played, `schema` what is stored, `store` where it lies on the disk, `runner` plays.
"""
