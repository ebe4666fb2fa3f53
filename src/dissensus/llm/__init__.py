"""One call to a model: request, reply, codecs of providers, prices, limits, budget, outages.

In goes a request, out comes a reply, journaled before anything else happens, so that no call is
paid twice. It may import settings alone.
"""
