"""How many turns of a loop come first, untimed, in the clock of a form and in what its rounds are compared by."""

WARM_UP = 3
