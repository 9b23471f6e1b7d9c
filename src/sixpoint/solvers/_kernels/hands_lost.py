"""Hands of which neither is seen: they go with where the body faces, not with its pelvis.

The facing is found from wrists and ankles, and the network turns the pelvis from there. Hands kept
with that pelvis would turn the facing after it, and the pelvis again, until the body stands back to
front.
"""

from __future__ import annotations

from ...kernels._jit import helper
from ...kernels.quaternion import quat_conj, quat_mul, quat_rotate
from ...kernels.types import Quat
from ...kernels.vector import vec_load, vec_store
from .frame import FIRST_LIMB
from .guide_tables import Memory
from .tables import State


@helper
def keep_hands(state: State, memory: Memory, pelvis: Quat, faced: Quat, lost: bool) -> None:
    """Put hands that are both lost where they are, seen from the facing; in the pelvis's frame."""
    turn = quat_mul(quat_conj(pelvis), faced)
    for side in range(2 if lost else 0):
        p = FIRST_LIMB + side
        if not memory.handless:  # just lost
            there = quat_rotate(quat_conj(turn), vec_load(state.held, p))
            vec_store(memory.hands, side, there)
        vec_store(state.held, p, quat_rotate(turn, vec_load(memory.hands, side)))
    memory.handless = 1 if lost else 0
