/*
 * What a probe runs in the lane's image, as fixed text: POSIX sh, whatever tools there are, and answers as `name=value` in words
 * of ours. All that differs comes by environment. No value of a variable is printed: it may come from a Secret.
 */

/** Asks the server of the Nix cache, then for the cache of that name. A URL begins with its scheme, so that none is an option. */
export const nixCacheScript = String.raw`
server=$(printf %s "$ATTIC_SERVER" | sed 's:/*$::')
cache=$ATTIC_CACHE
if [ -z "$server" ]; then echo server=unset; exit 0; fi
case $server in http://*|https://*) ;; *) server=http://$server ;; esac

by_curl() {
  status=$(curl -gsS -o /dev/null -w '%{http_code}' --proto =http,https --connect-timeout 10 --max-time 20 --url "$1")
  case $? in
    0) echo "status:$status" ;;
    6) echo fail:resolve ;;
    7) echo fail:connect ;;
    28) echo fail:timeout ;;
    35|51|58|60|77|83) echo fail:tls ;;
    *) echo fail:other ;;
  esac
}
by_wget() {
  words=$(wget $limits -S -O /dev/null "$1" 2>&1 | head -c 8192)
  status=$(printf '%s\n' "$words" | sed -n 's:^ *HTTP/[0-9.]* \([0-9][0-9][0-9]\).*:\1:p' | head -n 1)
  if [ -z "$status" ]; then
    status=$(printf '%s\n' "$words" | sed -n 's/.*server returned error.* \([0-9][0-9][0-9]\).*/\1/p' | head -n 1)
  fi
  if [ -n "$status" ]; then echo "status:$status"; return; fi
  case $words in
    *'bad address'*|*'unable to resolve'*|*'Name or service not known'*) echo fail:resolve ;;
    *refused*|*unreachable*|*'No route'*) echo fail:connect ;;
    *'timed out'*) echo fail:timeout ;;
    *ertificate*|*TLS*|*SSL*) echo fail:tls ;;
    *) echo fail:other ;;
  esac
}
if command -v curl >/dev/null; then
  ask=by_curl
  echo tool=curl
  body() { curl -gsS --proto =http,https --connect-timeout 10 --max-time 20 --url "$1"; }
elif command -v wget >/dev/null; then
  ask=by_wget
  echo tool=wget
  limits=
  case $(wget --help 2>&1) in
    *--tries*) limits='--tries=1 -T 10' ;;
    *'-T SEC'*) limits='-T 10' ;;
  esac
  body() { wget $limits -q -O - "$1"; }
else
  echo server=no-tool
  exit 0
fi
echo "server=$($ask "$server/")"
if [ -z "$cache" ]; then echo cache=unset; exit 0; fi
case $cache in *[!A-Za-z0-9_.+-]*) echo cache=no-name; exit 0 ;; esac
answer=$($ask "$server/$cache/nix-cache-info")
echo "cache=$answer"
if [ "$answer" = status:200 ]; then
  if body "$server/$cache/nix-cache-info" | head -c 4096 | grep -q '^StoreDir:'; then
    echo cache-info=yes
  else
    echo cache-info=no
  fi
fi
exit 0
`

const nodeProgram = [
  'const tls = require("tls")',
  'const { HOLDFAST_PROBE_HOST: host, HOLDFAST_PROBE_PORT: port } = process.env',
  'const name = (of) => String((of && (of.CN || of.O)) || "unnamed").slice(0, 60)',
  'const end = (trust) => { console.log("trust=" + trust); process.exit(0) }',
  'const servername = require("net").isIP(host) ? "" : host',
  'const socket = tls.connect({ host, port: Number(port), servername, rejectUnauthorized: false }, () => {',
  '  const seen = new Set()',
  '  let each = socket.getPeerCertificate(true)',
  '  for (let at = 0; at < 6 && each && each.issuer && !seen.has(each.fingerprint256); at++) {',
  '    seen.add(each.fingerprint256)',
  '    console.log("certificate=" + name(each.subject) + ", issued by " + name(each.issuer))',
  '    each = each.issuerCertificate',
  '  }',
  '  end(socket.authorized ? "yes" : "no " + (socket.authorizationError.code || socket.authorizationError))',
  '})',
  'socket.setTimeout(15000, () => end("error timeout"))',
  'socket.on("error", (error) => end("error " + error.code))',
].join('\n')

/** The three variables with their files, and the certificates that a host shows, by what the image has. */
export const npmTlsScript = String.raw`
mounted() {
  printf '%s\n' "$HOLDFAST_PROBE_UNMOUNTED" | {
    while read -r place; do
      if [ -n "$place" ]; then case $1 in "$place"|"$place"/*) exit 1 ;; esac; fi
    done
    exit 0
  }
}
file() {
  if [ -z "$2" ]; then echo "$1=unset"
  elif [ ! -e "$2" ]; then if mounted "$2"; then echo "$1=missing"; else echo "$1=not-mounted"; fi
  elif [ ! -r "$2" ]; then echo "$1=unreadable"
  elif [ ! -s "$2" ]; then echo "$1=empty"
  else echo "$1=present"; fi
}
file SSL_CERT_FILE "$SSL_CERT_FILE"
file NIX_SSL_CERT_FILE "$NIX_SSL_CERT_FILE"
file NODE_EXTRA_CA_CERTS "$NODE_EXTRA_CA_CERTS"

at=$HOLDFAST_PROBE_HOST:$HOLDFAST_PROBE_PORT
if command -v node >/dev/null; then
  echo tool=node
  node -e '${nodeProgram}'
elif command -v openssl >/dev/null; then
  echo tool=openssl
  words=$(openssl s_client -connect "$at" -servername "$HOLDFAST_PROBE_HOST" -showcerts </dev/null 2>&1 | head -c 65536)
  printf '%s\n' "$words" | sed -n 's/^ *i:/certificate=issued by /p' | cut -c 1-140 | head -n 6
  code=$(printf '%s\n' "$words" | sed -n 's/^ *Verify return code: \([0-9]*\).*/\1/p' | head -n 1)
  case $words in *'no peer certificate available'*) code= ;; esac
  case $code in
    0) echo trust=yes ;;
    '') echo 'trust=error no connection' ;;
    *) echo "trust=no verify code $code" ;;
  esac
elif command -v curl >/dev/null; then
  echo tool=curl
  curl -gsS -o /dev/null --proto =https --connect-timeout 10 --max-time 20 --url "https://$at/"
  code=$?
  case $code in
    0|22) echo trust=yes ;;
    51|60) echo "trust=no curl exit $code" ;;
    *) echo "trust=error curl exit $code" ;;
  esac
else
  echo tool=none
fi
exit 0
`
