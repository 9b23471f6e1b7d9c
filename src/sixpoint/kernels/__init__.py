"""Numbers: vectors, quaternions, splines, forward kinematics.

Nothing here knows what a person is.
"""
