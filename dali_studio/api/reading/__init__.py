"""Reading the source of a program: a graph, and nothing of the program is run."""
