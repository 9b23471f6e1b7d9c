"""The collision scenes of the paper."""

from __future__ import annotations

from sixpoint.bench.collision_scenes import forward_reach, sideways_reach


def test_a_reach_ahead_ends_in_a_box_behind():  # Fig. 14
    found = forward_reach()
    events = found.contacts.events()
    assert {event.part for event in events} <= {"pelvis", "belly", "l_thigh", "r_thigh"}
    assert events
    assert events[0].first > 10
    assert not found.contacts.highlight[0].any()
    assert found.contacts.highlight[-1].any()


def test_an_elbow_ends_in_a_box_beside():  # Figs. 15 and 16
    found = sideways_reach()
    parts = {event.part for event in found.contacts.events()}
    assert parts == {"l_upper_arm", "l_forearm"}  # and not the hand, which the user watches
    assert not found.contacts.highlight[0].any()
