"""What a speed means in text and for a person: conversions, densities, rules of thumb; no page."""
