"""The product's own error and cost, measured against a server that logs what it really sent."""
