"""Mass-spring IK: joints are masses and bones springs; and expressive motion made with it."""
