/** A file, what the real `gitlab-runner lint` says about it, and the classes that the audit finds. */
export interface TomlFile {
  readonly name: string
  /** Lines after `[runners.kubernetes]`, or the whole file. */
  readonly kubernetes?: string
  readonly whole?: string
  /** Null: lint calls it valid. */
  readonly lint: RegExp | null
  readonly classes: readonly string[]
}

/** Files that both call right or wrong. */
export const agreed: readonly TomlFile[] = [
  { name: 'right', kubernetes: 'memory_limit = "1Gi"', lint: null, classes: [] },
  {
    name: 'right, with tables',
    kubernetes: 'memory_limit = "1Gi"\n[runners.kubernetes.node_selector]\npool = "ci"',
    lint: null,
    classes: [],
  },
  {
    name: 'nested resources',
    kubernetes: '[runners.kubernetes.resources.limits]\nmemory = "1Gi"',
    lint: /unknown key: runners\.kubernetes\.resources/,
    classes: ['nested-resource-keys'],
  },
  {
    name: 'a misspelt key',
    kubernetes: 'memory_limt = "1Gi"',
    lint: /unknown key: runners\.kubernetes\.memory_limt/,
    classes: ['unknown-key'],
  },
  {
    name: 'a boolean after node_selector',
    kubernetes: '[runners.kubernetes.node_selector]\nprivileged = true',
    lint: /incompatible types: TOML value has type bool/,
    classes: ['key-after-table'],
  },
  {
    name: 'a limit after affinity',
    kubernetes: '[runners.kubernetes.affinity]\nmemory_limit = "1Gi"',
    lint: /unknown key: runners\.kubernetes\.affinity\.memory_limit/,
    classes: ['key-after-table'],
  },
  {
    name: 'pod_spec as a text',
    kubernetes: 'pod_spec = "containers: []"',
    lint: /type string; destination has type slice/,
    classes: ['podspec-type'],
  },
  {
    name: 'a limit as a number',
    kubernetes: 'memory_limit = 1024',
    lint: /integer value|has type int64|incompatible types/,
    classes: ['value-type'],
  },
  {
    name: 'a boolean as a text',
    kubernetes: 'privileged = "true"',
    lint: /destination has type bool/,
    classes: ['value-type'],
  },
  {
    name: 'a number as a text',
    kubernetes: 'poll_timeout = "600"',
    lint: /destination has type int/,
    classes: ['value-type'],
  },
  {
    name: 'a table for runners',
    whole: 'concurrent = 1\n[runners]\nname = "x"\n',
    lint: /destination has type slice/,
    classes: ['value-type'],
  },
  {
    name: 'a key twice',
    kubernetes: 'memory_limit = "1Gi"\nmemory_limit = "2Gi"',
    lint: /has already been defined/,
    classes: ['toml-unreadable'],
  },
  {
    name: 'no TOML',
    whole: 'concurrent = = 1\n',
    lint: /expected value|toml: line/,
    classes: ['toml-unreadable'],
  },
]

/** Files that lint calls valid, and that do not do what they say. */
export const beyond: readonly TomlFile[] = [
  {
    name: 'a limit that becomes a node selector',
    kubernetes: '[runners.kubernetes.node_selector]\nmemory_limit = "1Gi"',
    lint: null,
    classes: ['key-after-table'],
  },
  {
    name: 'an amount that is none',
    kubernetes: 'memory_limit = "1GB!"',
    lint: null,
    classes: ['value-refused'],
  },
  {
    name: 'a pull policy that there is not',
    kubernetes: 'pull_policy = "sometimes"',
    lint: null,
    classes: ['value-refused'],
  },
  {
    name: 'a request above its limit',
    kubernetes: 'memory_limit = "1Gi"\nmemory_request = "2Gi"',
    lint: null,
    classes: ['request-above-limit'],
  },
]

/** The file as it is written for both. */
export function tomlText({ kubernetes, whole }: TomlFile): string {
  return (
    whole ??
    `concurrent = 1

[[runners]]
name = "shared"
url = "https://gitlab.example.com"
token = "glrt-not-a-real-one"
executor = "kubernetes"
[runners.kubernetes]
namespace = "ci"
image = "busybox"
${kubernetes}
`
  )
}
