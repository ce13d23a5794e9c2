"""What each family of rules claims, as a question to two runs of the program: seen, contradicted, or not to be told, and why."""
