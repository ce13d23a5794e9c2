"""What nobody in sight gives: entries beside module level, the most general client, and what parameters, results and objects are taken to be.

`entries` runs functions that nothing in sight calls; `client` calls the public ones of a file in any order; what is presumed of a value is a
condition that the finding names.
"""
