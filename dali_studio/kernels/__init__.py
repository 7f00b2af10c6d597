"""Pure array functions; they know nothing of operators."""
