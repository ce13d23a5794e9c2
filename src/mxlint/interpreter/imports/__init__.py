"""Imports: modules of the project, run once each, and what is known of those that are not loaded."""
