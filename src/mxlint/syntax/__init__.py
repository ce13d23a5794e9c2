"""From source to the intermediate representation: what every part of mxlint that looks into a program reads."""
