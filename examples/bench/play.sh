#!/bin/sh
# Plays rounds of a study over HTTP with nothing but curl and sed, as a controller would:
#   steerbo new study.toml && steerbo serve study.toml
#   sh play.sh http://127.0.0.1:8000 study 5
# Where a key is needed: KEY=steerbo_… sh play.sh …
set -eu
url="$1/v1/studies/$2" rounds="$3"
call() {
  curl --silent --show-error --fail-with-body --header "Authorization: Bearer ${KEY:-}" \
    --header "Content-Type: application/json" --data "$2" "$url/$1"
}
field() { sed -n "s/.*\"$1\":\"\{0,1\}\([^\",}]*\).*/\1/p"; }

while [ "$rounds" -gt 0 ]; do
  asked=$(call ask '{}')
  token=$(echo "$asked" | field token)
  [ -n "$token" ] || { echo "$asked" | field finished; exit 0; }
  valve=$(echo "$asked" | field valve)
  flow=$(awk "BEGIN { print 3 - ($valve - 0.3) ^ 2 }") # here the machine is set, and measured
  call "rounds/$token/tell" "{\"value\": $flow}" | field told
  echo
  rounds=$((rounds - 1))
done
