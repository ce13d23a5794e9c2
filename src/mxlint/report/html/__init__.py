"""The report as a page: one file that needs nothing else."""
