/**
 * What pods of a pool have only where who runs Holdfast allows it by name (`fleet.allow`), never because the pool's
 * author writes it: what the pod-security standard `baseline` refuses, and what opens the namespace to a pool's author.
 * Each may be allowed as a whole, or, where it takes one, for one value (`hostPath:/dev/kvm`).
 */
const allowances = {
  appArmor: { takes: null },
  capabilities: { takes: 'a capability' },
  hostIPC: { takes: null },
  hostNetwork: { takes: null },
  hostPath: { takes: 'a path, with what is below it' },
  hostPorts: { takes: 'a port' },
  hostProbes: { takes: null },
  hostProcess: { takes: null },
  privileged: { takes: null },
  procMount: { takes: null },
  seLinux: { takes: null },
  seccomp: { takes: null },
  secrets: { takes: 'a name' },
  serviceAccounts: { takes: 'a name' },
  sysctls: { takes: 'a name' },
} as const satisfies Record<string, { readonly takes: string | null }>

export type Allowance = keyof typeof allowances

export const allowanceNames = Object.keys(allowances) as readonly Allowance[]

/** The problem of an entry of `fleet.allow`; null where it is valid. */
export function allowanceProblem(entry: string): string | null {
  const [name, value] = partsOf(entry)
  if (!Object.hasOwn(allowances, name)) return `one of ${allowanceNames.join(', ')}`
  const { takes } = allowances[name as Allowance]
  if (value === null) return null
  if (takes === null) return `"${name}" without a value`
  return value === '' ? `"${name}", or "${name}:" and ${takes}` : null
}

/** Whether it is allowed as a whole, or for this value. */
export function isAllowed(
  allow: readonly string[],
  name: Allowance,
  covers: (allowed: string) => boolean,
): boolean {
  return allow.some((entry) => {
    const [given, value] = partsOf(entry)
    return given === name && (value === null || covers(value))
  })
}

/** Only the first colon divides: a path may have one. */
function partsOf(entry: string): readonly [name: string, value: string | null] {
  const at = entry.indexOf(':')
  return at < 0 ? [entry, null] : [entry.slice(0, at), entry.slice(at + 1)]
}
