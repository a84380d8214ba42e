/** A UUID; the kubelet's static pods have the same digits without hyphens. */
const uidPattern = '[0-9a-f]{8}(?:[-_]?[0-9a-f]{4}){3}[-_]?[0-9a-f]{12}'
/** The cgroupfs driver: `pod<uid>`. */
const plain = new RegExp(`^pod(${uidPattern})$`)
/** The systemd driver: `kubepods-burstable-pod<uid with underscores>.slice`, after the name of an outer slice if any. */
const slice = new RegExp(`^(?:[\\w.]+-)*kubepods(?:-burstable|-besteffort)?-pod(${uidPattern})\\.slice$`)
const classPattern =
  /^(?:kubepods|burstable|besteffort|(?:[\w.]+-)*kubepods(?:-burstable|-besteffort)?\.slice)$/
/** The group below which a Holdfast with local runners puts each into a group of its name. */
const localBase = /^holdfast-[0-9a-f]{12}$/

/** The pod whose group has this name; null where it is no pod's. */
export function podUidOf(name: string): string | null {
  const uid = (plain.exec(name) ?? slice.exec(name))?.[1]
  return uid === undefined ? null : uid.replaceAll('_', '-')
}

/** Whether groups of pods stand in the group of this name: those of a class of service, and the top of them all. */
export function holdsPods(name: string): boolean {
  return classPattern.test(name)
}

/** Whether groups of local runners stand in the group of this name. */
export function holdsLocals(name: string): boolean {
  return localBase.test(name)
}

/**
 * The owner of a group: a pod's UID, or the name of a local runner; null where it has none. The outermost match counts,
 * since a job may choose the names below its own group.
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
