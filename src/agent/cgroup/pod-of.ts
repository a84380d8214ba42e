/** A UUID; the kubelet's static pods have the same digits without hyphens. */
const UID = '[0-9a-f]{8}(?:[-_]?[0-9a-f]{4}){3}[-_]?[0-9a-f]{12}'
/** The cgroupfs driver: `pod<uid>`. */
const PLAIN = new RegExp(`^pod(${UID})$`)
/** The systemd driver: `kubepods-burstable-pod<uid with underscores>.slice`, after the name of an outer slice if any. */
const SLICE = new RegExp(`^(?:[\\w.]+-)*kubepods(?:-burstable|-besteffort)?-pod(${UID})\\.slice$`)
const CLASS = /^(?:kubepods|burstable|besteffort|(?:[\w.]+-)*kubepods(?:-burstable|-besteffort)?\.slice)$/
/** A Holdfast that runs its runners as processes puts each into a group of its name below such a one. */
const LOCAL_BASE = /^holdfast-[0-9a-f]{12}$/

/** The pod whose group has this name; null where it is no pod's. */
export function podUidOf(name: string): string | null {
  const uid = (PLAIN.exec(name) ?? SLICE.exec(name))?.[1]
  return uid === undefined ? null : uid.replaceAll('_', '-')
}

/** Whether groups of pods stand in the group of this name: those of a class of service, and the top of them all. */
export function holdsPods(name: string): boolean {
  return CLASS.test(name)
}

/** Whether groups of local runners stand in the group of this name. */
export function holdsLocals(name: string): boolean {
  return LOCAL_BASE.test(name)
}

/**
 * Whose a group is: a pod's UID, or the name of a local runner. The outermost name that says so counts: what stands
 * below was named by what runs there. Null where it is nobody's.
 */
export function ownerOf(groupPath: string): string | null {
  const names = groupPath.split('/')
  for (const [index, name] of names.entries()) {
    if (holdsLocals(name)) return names[index + 1] ?? null
    const uid = podUidOf(name)
    if (uid !== null) return uid
  }
  return null
}
