"""The guided solver: a prior predicts the pose, the whole body is then moved until points are met."""
