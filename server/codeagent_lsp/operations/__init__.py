"""One function per thing that a user can do, start to end."""
