#!/usr/bin/env bash
# A Chromium for the tests of pages that run scripts.
#
#   browser.sh available   prints its path, or says what is missing
#   browser.sh install     installs Debian's Chromium if need be; says why where it cannot
#
# It needs root only to install packages.
set -euo pipefail

fail() {
  echo "$1" >&2
  exit 1
}

path() {
  local command
  for command in chromium chromium-browser google-chrome-stable google-chrome; do
    command -v "$command" && return 0
  done
  return 1
}

available() {
  path || fail "No browser here: chromium not found; tests/browser.sh install gets it from Debian."
}

install() {
  ! path >/dev/null || return 0
  command -v apt-get >/dev/null ||
    fail "No browser here: it is not installed, and without apt-get it cannot be."
  local root=()
  if [ "$(id -u)" -ne 0 ]; then
    sudo -n true 2>/dev/null ||
      fail "No browser here: it is not installed, and only root can install chromium."
    root=(sudo -n)
  fi
  { "${root[@]}" timeout 120 apt-get update &&
    "${root[@]}" timeout 300 env DEBIAN_FRONTEND=noninteractive \
      apt-get install --yes --no-install-recommends chromium; } >/dev/null 2>&1 ||
    fail "No browser here: apt-get could not install chromium; run it by hand to see why."
}

case "${1:-} ${2:-}" in
  "available " | "install ") "$1" ;;
  *) fail "browser.sh takes: available or install." ;;
esac
