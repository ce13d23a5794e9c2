"""Iterators, generators and coroutines: where each stands, and its body, which runs when somebody asks for an element."""
