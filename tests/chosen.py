"""Which operators a run of the conformance tests is about."""

#: Their names, as ``--operator`` gives them; all if there are none.
OPERATORS: list[str] = []
