"""The identity study: do agents follow an answer because of who gave it?"""
