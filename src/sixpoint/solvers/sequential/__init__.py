"""Sequential IK and its relatives: a body solved part by part, each in closed form."""
