"""The language study: a randomised trial of prompt language on the homogeneity of debates."""
