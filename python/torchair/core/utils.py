"""The logger that programs set the level of."""

import logging

logger = logging.getLogger("torchair")
