#!/usr/bin/env bash
# What the tests need besides Python. As root with apt it is installed; else it is named, and the tests
# that need it are skipped by name.
set -u
export DEBIAN_FRONTEND=noninteractive
missing=()
PATH="$PATH:/usr/games"
command -v stockfish > /dev/null || missing+=(stockfish)
command -v chromium > /dev/null || missing+=(chromium)
ls /usr/lib/postgresql/*/bin/initdb > /dev/null 2>&1 || missing+=(postgresql)
fc-list 2> /dev/null | grep -q DejaVuSans || missing+=(fonts-dejavu-core)
[ ${#missing[@]} -eq 0 ] && exit 0
if [ "$(id -u)" = 0 ] && command -v apt-get > /dev/null; then
  echo "== Debian packages: ${missing[*]}"
  { apt-get update -qq && apt-get install -y -qq --no-install-recommends "${missing[@]}"; } > /dev/null 2>&1 && exit 0
fi
echo "== not installed: ${missing[*]} (apt-get install ${missing[*]}); the tests that need it are skipped"
