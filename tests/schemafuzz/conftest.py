"""The kit has no doctests; collecting its modules for some would import the operators, which register themselves, twice."""

collect_ignore_glob = ["operators/*", "[!t]*.py"]
