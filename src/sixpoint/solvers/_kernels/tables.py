"""What the sequential solvers read and write: one body, its memory and scratch, as records.

Rows of joints, in this order: the n joints of the spine (0 the pelvis, n-1 the head), then for each
limb four: clavicle (none in legs), root (shoulder, hip), hinge (elbow, knee), end (wrist, ankle);
then, where a joint on the pelvis carries the spine (vl5, LowerBack), that one, which turns only
when the pelvis's own rotation is known; last, where a rig has joints in the forearms that twist the
hands, those. Limbs are left arm, right arm, left leg, right leg; points
are pelvis, head and the ends of limbs in that order.

Records, not tuples of arrays: compiled code hands on one pointer, where it would count references
to dozens of arrays at every call (half of the time of a frame, as measured). A record's layout is
part of the compiled type, so it has room for the longest spine rather than the one at hand.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from ...kernels.types import Floats, Ints

SPINE = 64
"""Most joints of a spine, both ends included; people have 25."""
LIMBS, LIMB_ROWS = 4, 4
ROWS = SPINE + LIMBS * LIMB_ROWS + 1 + 2
BLOCK = 16
"""Most frames that a kernel is asked for at once: the clock costs nothing then."""
STRETCH_SAMPLES = 65
"""Stored lengths of the spine between neutral and fully stretched (A0.5)."""
CORNERS = 8
"""Corners of a torso prism."""

# Bits of `FrameTable.flags`.
UNREACHABLE = 1  # << limb: the target is farther than the limb is long
LIMITED = 1 << 4  # << limb: a limit of the limb holds it back; of any other figure: << 0
CLAVICLE = 1 << 8  # << limb: the clavicle left its rest
COLLIDED = 1 << 12  # << limb: the elbow was pushed out of the torso
STALLED = 1 << 16  # << limb: and could not be pushed out wholly
SPINE_LIMITED = 1 << 20  # limits keep the spine from bending to its length
SPINE_STRETCHED = 1 << 21  # pelvis and head are farther apart than the spine is long
MISSING = 1 << 22  # << point: not seen, its place was guessed
RECOVERING = 1 << 28  # some point is easing back after it was lost
OUT_OF_STEPS = 1 << 30  # the budget of iterations was spent short of the targets

RecordArray: TypeAlias = NDArray[np.record]
"""An array of one record, which is how compiled code takes it."""
Body: TypeAlias = np.record
"""One person in the neutral stance, a record of `BODY`. Lengths in metres."""
State: TypeAlias = np.record
"""What the solver remembers from frame to frame, a record of `STATE`."""
Work: TypeAlias = np.record
"""Scratch memory of one tracker, a record of `WORK`."""
Settings: TypeAlias = np.record
"""Settings of sequential IK as numbers, a record of `SETTINGS`; see `SequentialSolver`."""


def record_type(*fields: tuple[str, str] | tuple[str, str, tuple[int, ...]]) -> np.dtype[np.record]:
    """A record of these fields, as compiled code takes it."""
    return cast("np.dtype[np.record]", np.dtype((np.record, list(fields))))


BODY = record_type(
    ("joints", "i8"),  # n: joints of the spine
    ("rows", "i8"),  # rows of joints
    ("lumbar", "i8"),  # row of the joint on the pelvis that carries the spine, -1 for none
    ("twists", "i8", (4,)),  # row of the joint in the forearm that twists the hand, -1 for none
    ("segments", "f8", (SPINE, 3)),  # from each spine joint to the next
    # For a spine that starts at the pelvis (0) or at the joint above (1): the axis about which
    # each segment turns towards the chord when the spine stretches, how far it can, and the chord
    # for t = 0 (neutral) ... 1 (straight).
    ("stretch_axes", "f8", (2, SPINE, 3)),
    ("stretch_angles", "f8", (2, SPINE)),
    ("stretch_lengths", "f8", (2, STRETCH_SAMPLES)),
    ("twistable", "f8", (SPINE,)),  # 1 for joints that share an axial turn (not lumbar), else 0
    ("carrier", "i8", (4,)),  # spine joint that carries each limb
    ("bases", "f8", (4, 3)),  # from there to the clavicle, or to the root where there is none
    ("clavicles", "f8", (4, 3)),  # from the clavicle to the limb's root; zero without a clavicle
    ("bones", "f8", (4, 2)),  # lengths of the upper and lower bone
    ("bend", "f8", (4,)),  # +1 where the hinge bends backwards (elbow), -1 forwards (knee)
    ("stance", "f8", (6, 3)),  # the six points, relative to the pelvis
    ("prisms", "i8"),  # number of torso prisms; then, for each:
    ("prism_joints", "i8", (SPINE,)),  # spine joint that carries it
    ("prism_low", "f8", (SPINE,)),  # lower end along that joint's Y
    ("prism_high", "f8", (SPINE,)),  # upper end
    ("prism_polygons", "f8", (SPINE, CORNERS, 2)),  # corners (x, z)
    ("elbow_radius", "f8"),
    ("height", "f8"),  # body height, the unit of all tolerances
    ("rig", "i8", (ROWS,)),  # joint of the rig that each row turns, -1 for none
    ("before", "f8", (ROWS, 4)),  # rig rotation = before * anatomical rotation * after
    ("after", "f8", (ROWS, 4)),
    ("anchor", "f8", (3,)),  # where the pelvis joint's parent is (it does not move); 0 for a root
    ("anchor_turn", "f8", (4,)),  # its world rotation; identity for a root
)

STATE = record_type(
    ("frames", "i8"),  # solved so far
    ("left", "f8", (3,)),  # X axis of the pelvis estimated last
    ("pelvis", "f8", (4,)),  # world rotation of the pelvis solved last
    ("turning", "i8"),  # frames in which the pelvis still eases to where it faces
    ("bent", "i8"),  # whether the spine was bent, not stretched, in the frame before; then:
    ("normal", "f8", (3,)),  # normal of the plane in which it bent
    ("angle", "f8"),  # and how far [rad]
    ("chord", "f8", (3,)),  # from pelvis to head as solved last
    ("clavicles", "f8", (4, 4)),  # clavicle rotations solved last
    ("poles", "f8", (4, 3)),  # axis about which each limb was last swung
    ("swivels", "f8", (4,)),  # turn of each limb about its root-end line found by the search
    ("points", "f8", (6, 3)),  # positions used last
    ("held", "f8", (6, 3)),  # in the pelvis frame of the time: where a lost point stays
    ("speeds", "f8", (6, 3)),  # their change per frame in the pelvis frame
    ("drifts", "f8", (6, 3)),  # how far a lost point was let move on, in the pelvis frame
    ("corrections", "f8", (6, 3)),  # offset that eases a point back after it was lost
    ("ages", "i8", (6,)),  # frames since each point was seen again; minus frames while it is lost
    ("eases", "f8", (6,)),  # frames in which it eases back
)

WORK = record_type(
    ("local", "f8", (ROWS, 4)),  # anatomical local rotation of each row
    ("trial", "f8", (SPINE, 4)),  # spine rotations while searching
    ("world", "f8", (SPINE, 4)),  # world rotations of the spine joints
    ("places", "f8", (SPINE, 3)),  # world positions of the spine joints
    ("points", "f8", (6, 3)),  # the six positions in use
    ("recent", "f8", (BLOCK, 6, 3)),  # and in the frames before, by their number modulo BLOCK
    ("lines", "f8", (6, 3)),  # those that tell where the pelvis faces
    ("ends", "f8", (6, 3)),  # where the six points of the body are after solving
    ("hinges", "f8", (4, 3)),  # hinge axis of each limb that a prior says, in the world
)

SETTINGS = record_type(
    ("weights", "f8", (3,)),
    ("project_previous", "i8"),
    ("bend", "i8"),
    ("incremental", "i8"),
    ("exact", "i8"),
    ("retwist", "i8"),
    ("hold_clavicle", "i8"),
    ("clavicle_relax", "f8"),
    ("fixed_clavicle", "i8"),
    ("swivel_search", "i8"),
    ("keep_plane", "i8"),  # whether limbs keep the plane of their hinge where limits hold them
    ("twist_weight", "f8"),
    ("prior_weight", "f8"),  # of the swivel that a prior says, in the search
    ("hysteresis", "i8"),
    ("collisions", "i8"),
    ("predict", "i8"),
    ("level_feet", "i8"),
    ("recovery", "f8"),  # frames
    ("fade", "f8"),  # part of a predicted speed that is left after each frame
    ("period", "f8"),  # time between frames [s]
    # Iterative methods; lengths are parts of the figure's size.
    ("method", "i8"),
    ("iterations", "i8"),
    ("tolerance", "f8"),  # the largest error that counts as met
    ("least_gain", "f8"),  # an iteration that improves the sum of errors by less is the last
    ("damping", "f8"),
    ("cut", "f8"),  # singular values below this part of the largest count as zero
    ("task_step", "f8"),  # most that a task asks for in one iteration; 0 for all
    ("joint_step", "f8"),  # most that a joint turns in one iteration [rad]
    ("soft", "i8"),  # selective damping scales instead of clamping
    ("longest_stride", "f8"),  # most that the way of a sweep is gone on; 0 for not at all
    ("turn", "f8"),  # most that the pelvis turns in a frame while it eases to where it faces [rad]
    ("follow", "f8"),  # frames in which the pelvis turns to the only line that is seen
    ("lateral", "f8"),  # how much the hands turn a rigid trunk about its length
    ("upright", "i8"),  # a rigid trunk stays as it stood at first
    ("near", "f8"),  # requests below this are damped less; 0 for all alike
    # Where another solver goes ahead: whether its pose is the start, and what is drawn to.
    ("led_start", "i8"),
    ("led_posture", "i8"),
)


class FrameTable(NamedTuple):
    """What a solver writes for each frame."""

    root: Floats
    """Position of the pelvis relative to its parent joint, (F, 3)."""
    rotations: Floats
    """Rig rotations, (F, J, 4)."""
    residuals: Floats
    """Distance of each point from where it was seen, NaN if it was not, (F, N + 1); the last column
    is NaN always and stands for points that are not used."""
    iterations: Ints
    """Steps of the spine search, (F,)."""
    flags: Ints
    """Bits as above, (F,)."""
    more: Floats
    """What a method says besides, (F, K); most say nothing."""
