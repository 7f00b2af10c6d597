"""Python programs from graphs."""
