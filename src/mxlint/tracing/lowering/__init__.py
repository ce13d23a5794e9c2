"""Source → the lowered form, by way of LibCST, one file for each family of node kinds."""
