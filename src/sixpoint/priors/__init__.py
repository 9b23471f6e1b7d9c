"""What people tend to do: a small model that says what six points leave open."""
