"""The change of a join view over several databases, worked out by asking them: sequential, batch, grouping, or all anew.

Every source is read in one snapshot; its changes up to that snapshot are known. What a source answers is its new state; where a
strategy needs the old one, the changes are taken back out here, so nobody is asked twice and no update in between can disturb.
"""
