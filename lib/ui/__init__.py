"""The Streamlit pieces: frame, wiring, typed state, pickers, the stage, charts. Pages are made of these."""
