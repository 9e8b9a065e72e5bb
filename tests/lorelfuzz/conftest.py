"""The kit has no doctests."""

collect_ignore_glob = ["[!t]*.py"]
