# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
"""What schemathesis has to know for api-check.py: how each operation is opened, and which session there is."""
import os
import subprocess

import schemathesis


def credentials(operation):
    """Of the kind that an operation names, the narrowest."""
    definition = operation.definition.raw
    if definition.get("operationId") in ("revokeAPIToken", "logOut"):
        # It is of no use afterwards.
        made = subprocess.run(os.environ["API_TOKEN_COMMAND"].split(), check=True, capture_output=True, text=True)
        return f"Bearer {made.stdout.strip()}"
    if definition.get("x-scope") == "observe":
        return os.environ["API_OBSERVER"]
    kinds = [kind for choice in definition.get("security", []) for kind in choice]
    if "token" in kinds:
        return os.environ["API_TOKEN"]
    return os.environ["API_APPLICATION"] if "application" in kinds else None


# Not kept: it differs by operation.
@schemathesis.auth(refresh_interval=None)
class Credentials:
    """Sent with every request, so that what is asked is answered and not refused at the door."""

    def get(self, case, context):
        return credentials(case.operation)

    def set(self, case, data, context):
        if data:
            case.headers = {**(case.headers or {}), "Authorization": data}


@schemathesis.hook
def before_call(context, case, kwargs):
    """Two of three of what is asked for are there: the session, except where it would be ended, its guest, the observer's call, a router."""
    known = {"session": os.environ["API_SESSION"], "connection": os.environ["API_CONNECTION"], "call": "call", "router": "0"}
    for name in case.path_parameters or {}:
        if name in known and case.operation.definition.raw.get("operationId") != "endSession":
            if len(str(case.path_parameters[name])) % 3:
                case.path_parameters[name] = known[name]
