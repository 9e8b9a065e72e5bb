"""Views over graphs, measured: the databases of the paper, the updates, and what a figure is made of."""
