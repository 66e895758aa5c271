from .. import inference  # noqa: F401
