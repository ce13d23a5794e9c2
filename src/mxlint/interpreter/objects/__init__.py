"""Classes and their instances: how names are found in them, attributes and descriptors, dataclasses and enums, types and reflection."""
