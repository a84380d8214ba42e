import { forgeKinds } from '../forge/index.ts'

export const redacted = '[redacted]'

type Pattern = readonly [pattern: RegExp, replacement: string]

/** Words after which a value is a secret, however it is assigned. */
const secretNames =
  'passw(?:or)?d|passphrase|pgpassword|secret|token|credential|jit_?config|signature|\\bsig|(?:api|access|account|private|secret|signing|encryption|client)[-_]?key(?:[-_]data)?'

const forges = Object.values(forgeKinds)
const tokenNames = ['token', 'secret', ...forges.flatMap((kind) => kind.tokenNames)].join('|')

/** Tokens with a recognisable prefix. */
export const tokenPatterns: readonly Pattern[] = [
  ...forges.flatMap(({ tokens }) => tokens.map((pattern): Pattern => [pattern, redacted])),
  // GitLab.
  [
    /gl(?:pat|rt|rtr|dt|cbt|ptt|ft|soat|agent|oas|imt|ffct|wt)-[A-Za-z0-9_.-]{16,}|\bGR1348941[A-Za-z0-9_-]{16,}/g,
    redacted,
  ],
  // Base64 of a JSON object, which begins so by its first key (a letter, or a dot as in GitHub's runner configuration):
  // JWTs, and the runner configurations of a forge, also broken into lines.
  [
    /(?<![A-Za-z0-9+/_-])ey[IJ][A-Za-z0-9+/_-]{24,}(?:\r?\n[ \t]{0,16}[A-Za-z0-9+/_-]{24,1024}={0,2}(?=\r?\n|$))+/g,
    redacted,
  ],
  [/ey[IJ][A-Za-z0-9+/_-]{12,}={0,2}(?:\.[A-Za-z0-9+/_-]*={0,2}){0,4}/g, redacted],
  // Base64 of a PEM block, as in a kubeconfig.
  [/LS0tLS1CRUdJTi[A-Za-z0-9+/]{12,}={0,2}/g, redacted],
  // Clouds: AWS, Google, Azure, DigitalOcean, Databricks.
  [/(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}/g, redacted],
  [/(?:\bAIza[A-Za-z0-9_-]{35}|\bya29\.[A-Za-z0-9_-]{20,}|\bGOCSPX-[A-Za-z0-9_-]{20,})/g, redacted],
  [/[A-Za-z0-9_~.-]{3}[78]Q~[A-Za-z0-9_~.-]{31,40}/g, redacted],
  [/\b(?:do[opr]_v1_[0-9a-f]{40,}|dapi[0-9a-f]{32,})/g, redacted],
  // Registries of packages and images.
  [/npm_[A-Za-z0-9]{36,}|pypi-AgE[A-Za-z0-9_-]{16,}|dckr_(?:pat|oat)_[A-Za-z0-9_-]{16,}/g, redacted],
  [/\b(?:rubygems_[0-9a-f]{40,}|oy2[a-z0-9]{43}\b|hf_[A-Za-z]{30,})/g, redacted],
  // Slack, Stripe, model vendors, age, Vault, SendGrid.
  [/(?:xox[abeoprs]-|xapp-|[sr]k_live_|AGE-SECRET-KEY-1|hv[bs]\.)[A-Za-z0-9_-]{16,}/g, redacted],
  [/\bsk-[A-Za-z0-9_-]{20,}|\bSG\.[A-Za-z0-9_-]{16,64}\.[A-Za-z0-9_-]{16,}/g, redacted],
  [/(hooks\.slack\.com\/(?:services|workflows)\/)[A-Za-z0-9/]{16,}/g, `$1${redacted}`],
]

/** Headers, also as they stand in JSON and in curl's output. */
const headers: readonly Pattern[] = [
  [
    /(authorization\\?["']?\s{0,4}[:=]\s{0,4}\\?["']?(?:[a-z]{1,20}\s{1,4})?)[^\s"'\\,;]{4,}/gi,
    `$1${redacted}`,
  ],
  [/(\bbearer\s{1,4})[A-Za-z0-9._~+/=-]{12,}/gi, `$1${redacted}`],
  // All of its parts, to the end of the line or of the quotation.
  [/(cookie\\?["']?\s{0,4}:\s{0,4}\\?["']?)[^\r\n"'\\]{4,}/gi, `$1${redacted}`],
]

/** Values that a name, a flag or a position marks as secret. */
const named: readonly Pattern[] = [
  // The password in a URL; greedy to the last @ before the path, because passwords hold that sign too.
  [/([a-z][a-z0-9+.-]{0,20}:\/\/[^\s/:@]{0,128}:)[^\s/]{1,256}@/gi, `$1${redacted}@`],
  // A token in the place of the user's name; real names are shorter, mostly.
  [/(https?:\/\/)[^\s/:@"'<>]{12,256}@/gi, `$1${redacted}@`],
  // name=value and "name": "value".
  [
    new RegExp(
      `((?:${secretNames}|cookie)\\\\?["']?\\s{0,4}[:=]\\s{0,4}\\\\?["']?)[^\\s"'\\\\,;&[\\]]{8,}`,
      'gi',
    ),
    `$1${redacted}`,
  ],
  // Passwords may be short and their names too; `PWD=/path` is a folder.
  [
    /((?:passw(?:or)?d|passphrase|[a-z0-9][-_]pass|\bpass|[a-z0-9][-_]pwd|\bpwd)\\?["']?\s?=\s?\\?["']?)(?![/~.]|(?:null|none|true|false|undefined|required)\b)[^\s"'\\,;&[\]]{4,}/gi,
    `$1${redacted}`,
  ],
  [
    /((?:passw(?:or)?d|[a-z0-9][-_](?:pass|pwd)|["'](?:pass|pwd))\\?["']?\s?:\s?\\?["']?)(?![/~.]|(?:null|none|true|false|undefined|required)\b)[^\s"'\\,;&[\]]{4,}/gi,
    `$1${redacted}`,
  ],
  // user:password of curl and the like; two numbers are a user and a group.
  [/((?:\s-u|--user)[ \t=]{0,4}["']?[^\s:"'/]{1,64}:)(?!\d{1,10}(?:[\s"']|$))[^\s"']{3,}/gi, `$1${redacted}`],
  // Clients of databases and sshpass take a password right behind -p.
  [
    /(\b(?:mysql|mariadb|mongo|sshpass)[a-z-]{0,20}\b[^\r\n]{0,200}?\s-p[ \t]?["']?)(?![-/])[^\s"'-][^\s"']{2,}/gi,
    `$1${redacted}`,
  ],
  // --name value, as commands are echoed.
  [
    /(--?(?:[a-z]{1,20}-){0,3}(?:token|passw(?:or)?d|passphrase|secret|jitconfig|(?:api|access|secret|private)-?key)[ \t=]{1,4}["']?)[^\s"'-][^\s"']{5,}/gi,
    `$1${redacted}`,
  ],
  [/(\blogin\s[^\r\n]{0,200}\s-p[ \t=]{0,4}["']?)[^\s"'-][^\s"']{3,}/gi, `$1${redacted}`],
  [/(\blogin\s{1,4}[^\s]{1,128}\s{1,4}password\s{1,4})[^\s]{1,}/gi, `$1${redacted}`],
  // The credentials of registries: Docker's configuration and npm's.
  [/(\\?["']auth\\?["']\s{0,4}:\s{0,4}\\?["'])[A-Za-z0-9+/=_-]{8,}/gi, `$1${redacted}`],
  [/(_auth\s{0,4}=\s{0,4}["']?)[^\s"']{4,}/gi, `$1${redacted}`],
  // Tokens of some forges and AWS' secrets look like any hash: only the text before them marks them.
  [new RegExp(`((?:${tokenNames})["']?\\s{1,4}["']?)[0-9a-f]{40}\\b`, 'gi'), `$1${redacted}`],
  [/(secret_access_key["']?\s{1,4}["']?)[A-Za-z0-9/+]{40}/gi, `$1${redacted}`],
]

/**
 * The shapes of secrets in text. Each pattern begins with something rare, repeats one class of characters, and has bounds
 * where something must follow, so that matching is linear in the text.
 */
export const secretPatterns: readonly Pattern[] = [...tokenPatterns, ...headers, ...named]
