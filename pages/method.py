"""What each number means, how it is measured, and how far it can be trusted."""
