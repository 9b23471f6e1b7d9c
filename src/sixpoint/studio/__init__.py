"""Looking at motion: the mannequin, pictures, and a page with 3D playback.

Pictures need the extra ``plot`` (matplotlib), the page needs ``studio`` (viser); both are imported
by the function that draws.
"""
