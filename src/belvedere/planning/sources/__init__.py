"""Plans of maintenance for join views over several databases: what to ask of whom, in which order, and what it will cost.

Nothing here talks to a database. A `ViewGraph` holds what is known, `plans` and `choose` say what to do, `Experience` learns from
what was done.
"""
