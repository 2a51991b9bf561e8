"""How the tables came to be what they are: one module for each change, from the first on."""
