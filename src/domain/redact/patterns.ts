export const REDACTED = '[redacted]'

/**
 * What secrets look like in text. Each pattern begins with something rare and repeats one class of characters,
 * so that its work grows with the text and never with its square.
 */
export const secretPatterns: readonly (readonly [pattern: RegExp, replacement: string])[] = [
  // GitHub: classic, app and fine-grained tokens; installation tokens may carry a JWT.
  [/(?:gh[opusr]_|github_pat_)[A-Za-z0-9_.-]{10,}/g, REDACTED],
  [/gl(?:pat|rt|rtr|dt|cbt|ptt|ft|soat|agent|oas)-[A-Za-z0-9_.-]{10,}/g, REDACTED],
  // Base64 of a JSON object: JWTs, and the runner configurations of a forge.
  [/eyJ[A-Za-z0-9+/_-]{12,}={0,2}(?:\.[A-Za-z0-9+/_-]*={0,2}){0,4}/g, REDACTED],
  [/(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}/g, REDACTED],
  [
    /(?:xox[abeoprs]-|xapp-|npm_|dckr_pat_|sk_live_|rk_live_|sk-|AIza|AGE-SECRET-KEY-1|hvs\.)[A-Za-z0-9_-]{16,}/g,
    REDACTED,
  ],
  // Headers, also as they stand in JSON and in curl's output.
  [
    /(authorization\\?["']?\s{0,4}[:=]\s{0,4}\\?["']?(?:[a-z]{1,20}\s{1,4})?)[^\s"'\\,;]{4,}/gi,
    `$1${REDACTED}`,
  ],
  [/(\bbearer\s{1,4})[A-Za-z0-9._~+/=-]{12,}/gi, `$1${REDACTED}`],
  // The password in a URL; greedy to the last @ before the path, because passwords hold that sign too.
  [/([a-z][a-z0-9+.-]{0,20}:\/\/[^\s/:@]{0,128}:)[^\s/]{1,256}@/gi, `$1${REDACTED}@`],
  // name=value and "name": "value", where the name says it.
  [
    /((?:passw(?:or)?d|passphrase|pgpassword|secret|token|credential|cookie|jit_?config|signature|\bsig|(?:api|access|account|private|secret|signing|encryption)[-_]?key)\\?["']?\s{0,4}[:=]\s{0,4}\\?["']?)[^\s"'\\,;&[\]]{8,}/gi,
    `$1${REDACTED}`,
  ],
]
