# shellcheck shell=bash disable=SC2034  # jdk is for the script that sources this
# Sourced by bin/jrdma and .ci/run. Runs on the bash 3.2 of macOS too.

readonly oldest_jdk=25

# Follows symbolic links. Sets resolved.
resolve() {
  local link
  resolved=$1
  case $resolved in
    */*) ;;
    *) resolved=./$resolved ;;
  esac
  while [ -L "$resolved" ]; do
    link=$(readlink "$resolved")
    case $link in
      /*) resolved=$link ;;
      *) resolved=${resolved%/*}/$link ;;
    esac
  done
}

# True for the home of a JDK that is new enough. Its release file says so: starting it takes longer than all else here.
is_new_enough() {
  local home=$1 line version=
  [ -x "$home/bin/java" ] && [ -x "$home/bin/javac" ] || return 1
  if [ -r "$home/release" ]; then
    while IFS= read -r line || [ -n "$line" ]; do
      case $line in
        JAVA_VERSION=*) version=${line#JAVA_VERSION=} ;;
      esac
    done <"$home/release"
  else
    version=$("$home/bin/java" -version 2>&1 | sed -n 's/.* version "\([^"]*\)".*/\1/p' | head -n 1)
  fi
  version=${version//\"/}
  version=${version%%[!0-9]*}
  [ -n "$version" ] && [ "$version" -ge "$oldest_jdk" ]
}

# Sets jdk, or ends the script: JAVA_HOME, then the one in PATH, then the usual places.
find_jdk() {
  local candidate user_home=${HOME:-/}
  local candidates=()
  [ -z "${JAVA_HOME:-}" ] || candidates+=("$JAVA_HOME")
  if candidate=$(command -v javac); then
    resolve "$candidate"
    candidates+=("${resolved%/bin/javac}")
  fi
  candidates+=(
    /usr/lib/jvm/* /usr/lib64/jvm/* /usr/java/* /usr/local/java/* /opt/* /opt/java/* /opt/jdk/*
    "$user_home"/.sdkman/candidates/java/* "$user_home"/.jdks/* "$user_home"/.asdf/installs/java/*
    "$user_home"/.local/share/mise/installs/java/*
    /Library/Java/JavaVirtualMachines/*/Contents/Home "$user_home"/Library/Java/JavaVirtualMachines/*/Contents/Home
    /opt/homebrew/opt/openjdk*/libexec/openjdk.jdk/Contents/Home /usr/local/opt/openjdk*/libexec/openjdk.jdk/Contents/Home
  )
  for candidate in "${candidates[@]}"; do
    if is_new_enough "$candidate"; then
      jdk=$candidate
      return
    fi
  done
  if [ -x /usr/libexec/java_home ]; then
    candidate=$(/usr/libexec/java_home -v "$oldest_jdk+" 2>/dev/null) || candidate=
    if is_new_enough "$candidate"; then
      jdk=$candidate
      return
    fi
  fi
  printf '%s: needs a JDK %s or newer, and found none in JAVA_HOME, in PATH or in the usual places. Set JAVA_HOME.\n' \
    "${0##*/}" "$oldest_jdk" >&2
  exit 1
}
