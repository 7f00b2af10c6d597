"""Search for faults with mutated inputs; see README.md."""
