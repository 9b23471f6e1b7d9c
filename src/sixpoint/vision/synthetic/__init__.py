"""The synthetic room: a person before a coloured wall, seen by two calibrated cameras."""
