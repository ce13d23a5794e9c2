"""The abstract domain: what a name can hold (`value`), where objects live (`heap`), how sizes of axes compare (`shape`)."""
