"""What the connected servers offer: paged in full, stable, sanitised."""
