"""Small models made at random (maker) and what a run of one must be (oracle)."""
