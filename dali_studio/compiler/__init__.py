"""From the logical program to a plan: named passes, lowering, explain."""
