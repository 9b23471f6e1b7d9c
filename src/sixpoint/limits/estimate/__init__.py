"""Joint types and limits estimated from motion."""
