"""Fixes as data: what to write instead of what a finding is about, as edits of the files."""
