"""The guided solver: a prior predicts the pose, then the whole body moves until points are met."""
