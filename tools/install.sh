#!/usr/bin/env bash
# Install Python packages into an environment: with uv, which is fast, or else with pip.
# usage: tools/install.sh VENV ARGUMENTS…
set -euo pipefail
venv=$1; shift
if [ ! -x "$venv/bin/uv" ]; then
  "$venv/bin/python" -m pip install -q --disable-pip-version-check -c constraints.txt uv 2>/dev/null || true
fi
if [ -x "$venv/bin/uv" ] && VIRTUAL_ENV="$PWD/$venv" "$venv/bin/uv" pip install -q --compile-bytecode -c constraints.txt "$@"; then
  exit 0
fi
echo "   (uv did not do it: pip, which takes longer)"
"$venv/bin/python" -m pip install -q --disable-pip-version-check -c constraints.txt "$@"
