"""What is randomised: the pool that motions come from, and the manifest that draws them."""
