"""What the benchmark book is made of: sheets of numbers, plots, and the pages that hold them."""
