"""What sentences may say of several estimates: which is the largest, which is found, and how small.

A sentence with a superlative or a trend takes it from here, with its ties and its intervals. And
what papers claim, printed beside what is right (:mod:`.printed`).
Imports what is below.
"""
