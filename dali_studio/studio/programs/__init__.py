"""Programs in the designer: the user's own text, pasted lines, functions of code nodes."""
