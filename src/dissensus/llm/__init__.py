"""One call to a model: request, reply, providers and the journal that pays for no call twice."""
