"""What others published, and what this project makes of the same data.

In go figures that are kept and files that a user fetched, out comes the page docs/validation.md.
Studies have what concerns them in a module ``validation`` of their own, which is found by its name.
It imports what is below: ``audit``, ``tables`` and ``report``.
"""
