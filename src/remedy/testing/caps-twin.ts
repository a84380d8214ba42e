import type { Caps } from '../../domain/remedy/managed-apply/index.ts'
import type { CapsPatch, CapsReading } from '../../ports/remedy.ts'

type Marked = Caps & { readonly mark: string | null }

interface Patch {
  readonly uid: string
  readonly resourceVersion: string
  readonly next: Marked
}

/** A patch that took effect. */
interface LandedPatch {
  readonly tick: number
  readonly before: Marked
  readonly next: Marked
}

/** For tests: the caps of one set as the API server keeps them, and the copy that its listener has. */
export class CapsTwin {
  current: Marked = { minRunners: 2, maxRunners: 10, mark: null }
  /** ARC makes the listener again with the present ones. */
  listener: Caps = this.current
  readonly landed: LandedPatch[] = []
  readonly sentTicks: number[] = []
  /** The last maximum that others wrote. */
  othersMax: number | null = null
  uid = 'uid-arc-runners-linux'
  #version = 500
  #late: (Patch & { readonly tick: number })[] = []

  read(): CapsReading {
    return { ...this.current, uid: this.uid, resourceVersion: String(this.#version) }
  }

  /** Somebody writes it past all preconditions, as helm and kubectl do. */
  write(next: Partial<Marked>): void {
    if (next.maxRunners !== undefined) this.othersMax = next.maxRunners
    this.#change(next)
  }

  patch(patch: Patch, tick: number): CapsPatch {
    if (patch.uid !== this.uid) return 'gone'
    if (patch.resourceVersion !== String(this.#version)) return 'conflict'
    const { next } = patch
    const before = this.current
    const isSame =
      next.minRunners === before.minRunners &&
      next.maxRunners === before.maxRunners &&
      next.mark === before.mark
    if (isSame) return 'patched'
    this.landed.push({ tick, before, next })
    this.#change(next)
    return 'patched'
  }

  /** Its answer is lost, and it arrives so many calls later, or finds another state. */
  patchLate(patch: Patch, tick: number): void {
    this.#late.push({ ...patch, tick })
  }

  landDue(tick: number): void {
    const due = this.#late.filter((each) => each.tick <= tick)
    this.#late = this.#late.filter((each) => each.tick > tick)
    for (const each of due) this.patch(each, tick)
  }

  landAll(): void {
    this.landDue(Number.POSITIVE_INFINITY)
  }

  #change(next: Partial<Marked>): void {
    this.current = { ...this.current, ...next }
    this.#version += 1
  }
}
