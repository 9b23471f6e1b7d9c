"""Mass-spring IK: reaching, rotations, weights, limits, batches, people, bad input."""

from __future__ import annotations

import numpy as np
import pytest

import sixpoint as sp
from sixpoint.bench.chains import reachable_targets
from sixpoint.bench.springs import angles_apart, parameter_effects
from sixpoint.body.skeleton import Skeleton
from sixpoint.errors import InputError, UnknownName
from sixpoint.kernels import arrays
from sixpoint.motion.pose import Pose
from sixpoint.solvers import (
    SpringForceSolver,
    SpringPositionSolver,
    StopReason,
    solve_batch,
    solve_positions,
)
from sixpoint.solvers.articulated.model import Targets, model_forward
from sixpoint.solvers.springs.rotations import rebuild
from sixpoint.solvers.springs.solve import weigh_nodes
from sixpoint.solvers.tracker import copy_tables
from sixpoint.tasks import Orient, Reach

METHODS = ["mass-spring", "mass-spring-force"]
both = pytest.mark.parametrize("method", METHODS)


@both
@pytest.mark.parametrize("joints", [3, 6, 10, 30])
def test_every_reachable_target_is_met(method, joints):
    targets = reachable_targets(1000 if joints < 30 else 300, seed=7)[:, None]
    chain = Skeleton.chain(joints)
    found = solve_batch(sp.solver(method).prepare(chain), targets)
    assert found.converged.all()
    assert found.residuals.max() < 1e-3
    # Residuals are those of a rigid chain: positions from rotations say the same.
    for k in range(0, len(targets), 50):
        pose = Pose(chain, chain.offsets[0], found.rotations[k])
        tip = pose.world()[0][chain.index("tip")]
        assert np.linalg.norm(tip - targets[k, 0]) == pytest.approx(found.residuals[k, 0])


def test_steps_of_the_papers_preset_are_near_its_table():
    targets = reachable_targets(1000)[:, None]
    steps = {}
    for method in METHODS:
        for joints in (6, 10):
            tracker = sp.solver(method, preset="paper").prepare(Skeleton.chain(joints))
            steps[method, joints] = float(solve_batch(tracker, targets).iterations.mean())
    assert steps["mass-spring", 6] == pytest.approx(31.5, rel=0.5)
    assert steps["mass-spring", 10] == pytest.approx(40.1, rel=0.5)
    assert steps["mass-spring-force", 6] == pytest.approx(49.6, rel=0.5)
    assert steps["mass-spring-force", 10] == pytest.approx(60.5, rel=0.5)
    for joints in (6, 10):
        assert steps["mass-spring", joints] < steps["mass-spring-force", joints]
    for method in METHODS:
        assert steps[method, 6] < steps[method, 10]


def test_the_projection_variant_meets_targets_too():
    targets = reachable_targets(200)[:, None]
    solver = SpringPositionSolver(relax="projection")
    found = solve_batch(solver.prepare(Skeleton.chain(6)), targets)
    assert found.converged.mean() > 0.99


@both
@pytest.mark.parametrize(
    "target",
    [(0, 0.5, 0), (0, -0.5, 0), (0, 1, 0), (0, -1, 0), (0, 0, 0), (0, 1e-9, 0), (0, 0.999, 0)],
    ids=str,
)
def test_a_straight_chain_meets_targets_on_its_line(method, target):
    solution = sp.solver(method).prepare(Skeleton.chain(6)).solve(np.array([target], float))
    assert solution.converged
    assert solution.residuals[0] < 1e-3


@both
def test_bones_without_length_do_no_harm(method):
    chain = Skeleton.chain(5, [0.3, 0.0, 0.3, 0.0, 0.4])
    targets = 0.95 * reachable_targets(50)[:, None]
    found = solve_batch(sp.solver(method).prepare(chain), targets)
    assert np.isfinite(found.rotations).all()
    assert found.residuals.max() < 1e-3


@both
def test_an_unreachable_target_stretches_the_chain(method):
    tracker = sp.solver(method).prepare(Skeleton.chain(6))
    solution = tracker.solve(np.array([(1.2, 0.9, 2.0)]))
    assert solution.residuals[0] == pytest.approx(np.linalg.norm((1.2, 0.9, 2.0)) - 1.0, abs=1e-6)
    assert not solution.converged


def test_a_bone_carries_its_up_vector():
    chain = Skeleton.chain(1, bone=(0.0, -1.0, 0.0))
    towards = np.array((1.0, -1.0, 1.0)) / 3**0.5
    turned = sp.solver("mass-spring").prepare(chain).solve(towards[None]).pose.rotations[0]
    assert arrays.rotate(turned, np.array((0.0, 0.0, 1.0))) == pytest.approx(
        (-0.211325, 0.577350, 0.788675), abs=1e-6
    )
    rows = np.array([arrays.rotate(turned, axis) for axis in np.eye(3)]).T
    expected = [
        (0.788675, -0.577350, -0.211325),
        (0.577350, 0.577350, 0.577350),
        (-0.211325, -0.577350, 0.788675),
    ]
    assert rows == pytest.approx(np.array(expected), abs=1e-6)


def test_nothing_twists_on_the_way_to_a_target_and_back():
    chain = Skeleton.chain(1)
    tracker = sp.solver("mass-spring").prepare(chain)
    way = np.linspace(0.0, 1.0, 20)
    there = np.stack([np.sin(way), np.cos(way), np.zeros(20)], axis=1)
    for place in (*there, *there[::-1]):
        pose = tracker.solve(place[None]).pose
    assert arrays.angle_between(pose.rotations[0], arrays.identity()) == pytest.approx(0, abs=2e-3)


def branching(first: float, second: float) -> tuple[Skeleton, np.ndarray]:
    """Two bones along X from one joint, asked to turn by two angles about Z [degrees]."""
    skeleton = Skeleton(
        ("base", "one", "two"),
        np.array([-1, 0, 0]),
        np.array([(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (2.0, 0.0, 0.0)]),
    )
    angles = np.radians((first, second))
    places = np.stack([np.cos(angles), np.sin(angles), np.zeros(2)], axis=1) * [[1.0], [2.0]]
    return skeleton, places


@pytest.mark.parametrize(("branch", "angle"), [("weight", 29.6859), ("priority", 60.0)])
def test_a_sub_base_turns_by_the_mean_or_with_the_preferred_chain(branch, angle):
    skeleton, positions = branching(20.0, 60.0)
    tasks = [Reach("one", weight=0.75, priority=2), Reach("two", weight=0.25, priority=1)]
    plan = SpringPositionSolver(branch=branch).prepare(skeleton, tasks=tasks).plan
    context = plan.new_context(60.0)
    c = context._replace(settings=context.settings[0])
    pose, parts = context.pose, context.scratch.parts
    model_forward(context.model, pose)
    weigh_nodes(c, 0, Targets(positions, np.full((2, 4), np.nan)))
    parts.goals[1:3] = parts.goals[3:5] = positions
    rebuild(c, 0, True)
    turned = np.degrees(arrays.to_rotvec(pose.local[0]))
    assert turned == pytest.approx((0.0, 0.0, angle), abs=1e-4)


@both
def test_several_tips_are_met_at_once(method):
    tree = Skeleton.tree(2, 3)
    targets = np.array([(-0.4, 0.6, 0.2), (0.5, 0.5, -0.1)])
    solution = sp.solver(method).prepare(tree).solve(targets)
    assert solution.converged


@both
@pytest.mark.parametrize("seed", range(4))
def test_random_trees_meet_targets(method, seed):
    rng = np.random.default_rng(seed)
    count = 12
    parents = np.array([-1, *(int(rng.integers(max(0, k - 3), k)) for k in range(1, count))])
    offsets = rng.normal(size=(count, 3))
    offsets *= rng.uniform(0.1, 0.2, (count, 1)) / np.linalg.norm(offsets, axis=1, keepdims=True)
    offsets[0] = 0.0
    tree = Skeleton(tuple(f"j{k}" for k in range(count)), parents, offsets)
    body = tree.articulation
    names = body.ends
    nodes = [tree.index(name) for name in names]
    posed = [body.rotations(rng.uniform(-0.4, 0.4, body.count)) for _ in range(10)]
    targets = np.array([Pose(tree, np.zeros(3), pose).world()[0][nodes] for pose in posed])
    tracker = sp.solver(method, sweeps=100).prepare(tree, names=names)
    found = solve_batch(tracker, targets)
    assert (found.residuals.max(axis=1) < 0.01 * body.length).mean() >= 0.9


@both
def test_residuals_move_with_the_weights(method):
    targets = np.array([(0.45, 0.1, 0.0), (-0.3, 0.75, 0.2)])
    found = []
    for weight in (0.05, 0.2, 0.4, 0.6, 0.8, 0.95):
        tasks = [Reach("joint_4", weight=weight), Reach("tip", weight=1.0 - weight)]
        solution = sp.solver(method).prepare(Skeleton.chain(6), tasks=tasks).solve(targets)
        assert not solution.converged
        found.append(solution.residuals)
    inner, outer = np.array(found).T
    assert (np.diff(inner) < -0.01).all()
    assert (np.diff(outer) > 0.01).all()


@both
def test_inner_targets_that_agree_are_all_met(method):
    chain = Skeleton.chain(8)
    rng = np.random.default_rng(3)
    pose = Pose(chain, np.zeros(3), chain.articulation.rotations(rng.uniform(-0.5, 0.5, 24)))
    names = ("joint_4", "joint_6", "tip")
    targets = pose.world()[0][[chain.index(name) for name in names]]
    solution = sp.solver(method, sweeps=60).prepare(chain, names=names).solve(targets)
    assert solution.residuals.max() < 2e-3


@both
def test_batches_agree_with_single_solves_and_threads(method):
    chain = Skeleton.chain(5)
    targets = reachable_targets(40)[:, None]
    tracker = sp.solver(method).prepare(chain)
    batch = solve_batch(tracker, targets)
    shared = solve_batch(tracker, targets, threads=3)
    assert np.array_equal(batch.rotations, shared.rotations)
    for k in range(0, 40, 7):
        tracker.reset()
        solution = tracker.solve(targets[k])
        assert np.array_equal(solution.pose.rotations, batch.rotations[k])
        assert solution.iterations == batch.iterations[k]
    onwards = solve_batch(tracker, targets, start=batch.rotations)
    assert (onwards.iterations == 0).all()


def test_a_batch_starts_from_one_pose_or_from_many():
    chain = Skeleton.chain(3)
    tracker = sp.solver("mass-spring").prepare(chain)
    targets = reachable_targets(4)[:, None]
    start = solve_batch(tracker, targets).rotations[0]
    from_one = solve_batch(tracker, targets, start=start)
    from_many = solve_batch(tracker, targets, start=np.tile(start, (4, 1, 1)))
    assert np.array_equal(from_one.rotations, from_many.rotations)
    with pytest.raises(InputError, match=r"`start` of shape \(3, 4\) or \(4, 3, 4\), got \(2, 4\)"):
        solve_batch(tracker, targets, start=start[:2])
    for bad in (np.nan, np.inf, 0.0):
        with pytest.raises(InputError, match="rotations in `start`, got some that are zero or not"):
            solve_batch(tracker, targets, start=np.full((3, 4), bad))
    with pytest.raises(InputError, match=r"`targets` of shape \(B, 1, 3\), got \(4, 3\)"):
        solve_batch(tracker, targets[:, 0])
    with pytest.raises(InputError, match="`threads` >= 1, got 0"):
        solve_batch(tracker, targets, threads=0)


def test_heavy_joints_move_late():
    chain = Skeleton.chain(6)
    target = np.array([[(0.5, 0.6, 0.0)]])
    bends = []
    for mass in (1.0, 30.0):
        heavy = (("joint_2", mass), ("joint_3", mass))
        found = solve_batch(SpringPositionSolver(masses=heavy).prepare(chain), target)
        assert found.converged.all()
        bends.append(np.linalg.norm(arrays.to_rotvec(found.rotations[0, 0])))
    assert bends[1] < 0.7 * bends[0]


def test_stiff_bones_soft_bones_and_heavy_joints_have_effects_of_their_own():
    rows = parameter_effects(reachable_targets(100))
    assert all(row["converged"] == 1.0 for row in rows)
    cases = ("heavy joint", "stiff bone", "soft bone")
    for one, other in ((0, 1), (0, 2), (1, 2)):
        assert angles_apart(rows, cases[one], cases[other]) > 0.5
    turns = {row["parameter"]: row["joint_3"] for row in rows}
    assert all(abs(turns[case] - turns["none"]) > 0.3 for case in cases)


def test_bones_are_named_by_what_they_lead_to():
    chain = Skeleton.chain(4)
    springs = SpringPositionSolver(stiffness=2.0, stiffnesses={"joint_3": 6.0, "tip": 1.0})
    table = springs.prepare(chain).plan.scratch.springs
    assert table.hardness == pytest.approx((1.0, 3.0, 1.0, 0.5))
    clip = sp.builtin("boxing")
    sp.solver("mass-spring", stiffnesses="l_wrist:3").prepare(clip.skeleton)
    with pytest.raises(UnknownName, match="bone in `stiffnesses` 'joint_9'"):
        sp.solver("mass-spring", stiffnesses="joint_9:3").prepare(chain)


@both
def test_people_are_followed_part_by_part(method):
    clip = sp.builtin("boxing")
    result = sp.reconstruct(clip.points(), clip.skeleton, solver=method)
    assert result.report.limit_violations == 0
    assert float(np.nanmean(result.residuals[:, 2:])) < 0.005
    comparison = sp.compare(result.motion, clip)
    assert comparison.position_rms < 0.04


@both
def test_spines_reach_the_head(method):
    clip = sp.builtin("walk")
    tracker = sp.solver(method).prepare(clip.skeleton, limits=None)
    result = tracker.solve_clip(clip.points())
    assert result.residuals[:, :2].max() < 1e-3 * clip.skeleton.anatomy.height
    assert result.extras["energy_spine"].max() > 0.0


@both
@pytest.mark.parametrize("lost", [0, 1, 2])
def test_branches_that_begin_together_do_without_one_another(method, lost):
    tree = Skeleton.tree(3, 2, trunk=2, spread=1.0)
    body = tree.articulation
    nodes = [tree.index(name) for name in body.ends]
    turns = np.random.default_rng(4).uniform(-0.6, 0.6, (20, body.count))
    poses = [Pose(tree, np.zeros(3), body.rotations(turn)) for turn in turns]
    targets = np.array([pose.world()[0][nodes] for pose in poses])
    targets[:, lost] = np.nan
    found = solve_batch(sp.solver(method, sweeps=100).prepare(tree), targets)
    assert (np.nanmax(found.residuals, axis=1) < 1e-3).mean() > 0.8


def test_arms_know_the_energy_that_was_asked_of_them():
    clip = sp.builtin("boxing")
    tracker = sp.solver("mass-spring").prepare(clip.skeleton)
    frame = clip.points().positions[0].copy()
    tracker.solve(frame)
    frame[2] += (0.0, 0.0, 0.05)
    near = tracker.solve(frame).extras
    assert list(near) == [
        f"energy_{part}" for part in ("spine", "l_arm", "r_arm", "l_leg", "r_leg")
    ]
    frame[2] += (0.0, 0.0, 0.2)
    far = tracker.solve(frame).extras
    assert far["energy_l_arm"] > near["energy_l_arm"] > 0.0


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"step": 1.0}, r"below the stability bound 0\.921954 = sqrt\(\(1 - damping / 2\) mass"),
        ({"step": -0.1}, "`step` > 0, got -0.1"),
        ({"step": 0.7, "stiffness": 4.0}, "stability bound 0.460977"),
        ({"step": 0.7, "masses": (("joint_1", 0.1),)}, "stability bound 0.291548"),
        ({"step": 0.7, "stiffnesses": {"tip": 4.0}}, "stability bound 0.460977"),
        ({"damping": 0.0}, r"`damping` in \(0, 1\), got 0.0"),
        ({"damping": 1.0}, r"`damping` in \(0, 1\), got 1.0"),
        ({"stiffness": -1.0}, "`stiffness` > 0, got -1.0"),
        ({"stiffness": float("nan")}, "`stiffness` > 0, got nan"),
        ({"mass": 0.0}, "`mass` > 0, got 0.0"),
        ({"masses": (("joint_1", -2.0),)}, r"`masses\['joint_1'\]` > 0, got -2"),
        ({"strain": 0.0}, r"`strain` in \(0, 1\), got 0.0"),
        ({"force": 2.0}, r"`force` in \(0, 1\), got 2.0"),
        ({"clamp": 0.0}, "`clamp` > 0, got 0.0"),
        ({"return_rate": -1.0}, r"`return_rate` in \[0, 1000\], got -1.0"),
        ({"twist": "free"}, "`twist` to be one of first, carried; got 'free'"),
        ({"stiffnesses": {"tip": 0.0}}, r"`stiffnesses\['tip'\]` > 0, got 0"),
        ({"stiffnesses": "tip"}, "`stiffnesses` as joints with numbers, such as"),
        ({"sweeps": 0}, r"`sweeps` in \[1, 10000\], got 0"),
        ({"preset": "fast"}, "`preset` to be one of exact, paper; got 'fast'"),
        ({"relax": "euler"}, "`relax` to be one of verlet, projection; got 'euler'"),
        ({"branch": "first"}, "`branch` to be one of fit, weight, priority"),
        ({"lever": "long"}, "`lever` to be one of bones, straight"),
        ({"rebuild": "mass"}, "`rebuild` to be one of places, pairs"),
    ],
    ids=str,
)
def test_senseless_settings_are_refused(settings, message):
    with pytest.raises(InputError, match=message):
        SpringPositionSolver(**settings)


def test_the_force_of_targets_counts_for_stability():
    assert SpringForceSolver().largest_step == SpringPositionSolver().largest_step
    with pytest.raises(InputError, match=r"stability bound 0\.532291 = .*pull"):
        SpringForceSolver(pull=10.0, step=0.7)
    with pytest.raises(InputError, match="`pull` > 0, got -1"):
        SpringForceSolver(pull=-1.0)


@both
def test_targets_that_cannot_be_asked_for_are_refused(method):
    chain = Skeleton.chain(3)
    with pytest.raises(UnknownName, match="elbow"):
        sp.solver(method).prepare(chain, names=("elbow",))
    with pytest.raises(InputError, match="`weight` >= 0, got -1"):
        sp.solver(method).prepare(chain, tasks=[Reach("tip", weight=-1.0)])
    with pytest.raises(InputError, match="to be of Reach; got Orient"):
        sp.solver(method).prepare(chain, tasks=[Orient("tip")])
    with pytest.raises(UnknownName, match="joint_9"):
        sp.solver(method, masses=(("joint_9", 2.0),)).prepare(chain)


@pytest.mark.parametrize(
    "settings",
    [
        {"twist": "carried", "return_rate": 0.0},
        {"cones": True},
        {"return_rate": 100.0},
        {"rebuild": "pairs"},
        {"branch": "weight"},
        {"branch": "priority"},
        {"braces": False},
        {"lever": "straight"},
        {"relax": "projection"},
        {"step": 0.4, "damping": 0.15},
        {"mass": 2.0, "stiffness": 3.0},
        {"preset": "paper"},
    ],
    ids=str,
)
def test_variants_meet_targets_of_chains_and_trees(settings):
    solver = SpringPositionSolver(**settings)
    near = 0.011 if settings.get("preset") == "paper" else 1e-3
    found = solve_batch(solver.prepare(Skeleton.chain(6)), reachable_targets(50)[:, None])
    assert found.residuals.max() < near
    tree = Skeleton.tree(2, 3)
    solution = solver.prepare(tree).solve(np.array([(-0.4, 0.6, 0.2), (0.5, 0.5, -0.1)]))
    assert solution.residuals.max() < near


@both
def test_positions_alone_are_those_of_masses_at_rest(method):
    tracker = sp.solver(method).prepare(Skeleton.chain(6))
    targets = 0.95 * reachable_targets(30)[:, None]
    positions, steps, converged = solve_positions(tracker, targets)
    assert positions.shape == (30, 7, 3)
    assert positions[:, -1] == pytest.approx(targets[:, 0], abs=5e-4)
    assert positions[:, 0] == pytest.approx(np.zeros((30, 3)), abs=0.0)
    bones = np.linalg.norm(np.diff(positions, axis=1), axis=2)
    assert bones == pytest.approx(np.full((30, 6), 1 / 6), rel=1.01e-3)
    assert (steps > 0).all()
    assert converged.all()
    idle = sp.solver(method).prepare(
        Skeleton.tree(2, 3), names=("tip_1", "tip_2"), tasks=[Reach("tip_1")]
    )
    with pytest.raises(InputError, match="a target for each of the points; some have no task"):
        solve_positions(idle, np.zeros((1, 2, 3)))


def test_energies_are_those_of_the_frame():
    clip = sp.builtin("boxing")
    tracker = sp.solver("mass-spring").prepare(clip.skeleton)
    frame = clip.points().positions[0].copy()
    moved, lost = frame.copy(), frame.copy()
    moved[2] += (0.0, 0.0, 0.1)
    lost[2] = np.nan
    energies = [tracker.solve(p).extras["energy_l_arm"] for p in (frame, frame, moved, frame, lost)]
    assert energies[0] > 0.0
    assert energies[1] == 0.0  # there already
    assert energies[2] > 0.0
    assert energies[4] == 0.0
    result = tracker.solve_clip(clip.points())
    assert result.extras["energy_l_arm"][0] == energies[0]


@both
def test_a_frame_depends_on_the_pose_before_not_on_scratch_memory(method):
    clip = sp.builtin("walk")
    points = clip.points().positions
    used, fresh = (sp.solver(method).prepare(clip.skeleton) for _ in range(2))
    for frame in points[:60:3]:
        used.solve(frame)
    copy_tables(used.run.context.pose, fresh.run.context.pose)
    copy_tables(used.run.context.state, fresh.run.context.state)
    expected, found = (tracker.solve(points[60]).pose for tracker in (used, fresh))
    assert np.array_equal(expected.rotations, found.rotations)


def test_a_chain_is_not_taken_for_a_person():
    tracker = sp.solver("mass-spring", weights=(0.1, 0.1, 1.0)).prepare(Skeleton.chain(6))
    assert tracker.names == ("tip",)
    assert "weights" not in tracker.run.context.settings.dtype.names
    assert solve_batch(tracker, np.array([[(0.3, 0.4, 0.2)]])).converged.all()
    person = sp.solver("mass-spring").prepare(Skeleton.humanoid())
    for refused in (person, sp.solver("ccd").prepare(Skeleton.chain(6))):
        with pytest.raises(InputError, match="of a mass-spring solver and any skeleton but"):
            solve_positions(refused, np.zeros((1, 1, 3)))


@both
@pytest.mark.parametrize(("preset", "part"), [("exact", 0.01 / 1.83), ("paper", 0.01)])
def test_what_ends_a_frame_of_a_person_is_met(method, preset, part):
    clip = sp.builtin("walk")
    tracker = sp.solver(method, preset=preset).prepare(clip.skeleton)
    result = tracker.solve_clip(clip.points())
    met = result.residuals.max(axis=1) <= part * clip.skeleton.anatomy.height
    converged = np.array([stop is StopReason.CONVERGED for stop in result.stops])
    assert np.array_equal(converged, met)
    assert converged.mean() > 0.5
