import { HoldfastError } from '../../src/domain/errors/index.ts'
import type { Clock } from '../../src/ports/clock.ts'
import type { History } from './history.ts'
import type { Random } from './random.ts'
import type { Scheduler } from './scheduler.ts'

/** How a process of Holdfast may fail; all zero in the quiet end of a history. */
export interface ProcessFaults {
  /** Chance that it is killed at a call: before its effect or before its answer. */
  crash: number
  /** Chance that a call to the ledger fails; half of these took effect. */
  ledgerFails: number
  /** The same for the forge. */
  forgeFails: number
}

/** One life of a process: from its start until it is killed. What it awaited then never comes back. */
export interface Life {
  readonly name: string
  readonly alive: boolean
  kill(why: string): void
}

export interface LifeDeps {
  readonly scheduler: Scheduler
  readonly random: Random
  readonly history: History
  readonly faults: ProcessFaults
  readonly onKill: () => void
}

export function createLife(name: string, deps: LifeDeps): Life {
  let alive = true
  return {
    name,
    get alive() {
      return alive
    },
    kill(why) {
      if (!alive) return
      alive = false
      deps.history.note(name, `KILLED ${why}`)
      deps.onKill()
    },
  }
}

/** A clock that stands still for the dead, and may be late. */
export function clockOf(life: Life, scheduler: Scheduler, skewMs: number): Clock {
  return {
    now: () => scheduler.now() + skewMs,
    after(delayMs, callback) {
      return scheduler.after(delayMs, () => {
        if (life.alive) callback()
      })
    },
    sleep: (delayMs, signal) =>
      new Promise((resolve, reject) => {
        scheduler.after(delayMs, () => {
          if (!life.alive) return
          if (signal?.aborted) reject(signal.reason)
          else resolve()
        })
      }),
  }
}

/**
 * A port as a process sees it: every call takes time, the process may be killed before its effect or before
 * its answer, and the ledger and the forge may fail with and without effect. Methods in `immediate` are not calls but wiring.
 */
export function seenBy<Port extends object>(
  port: Port,
  label: string,
  life: Life,
  deps: LifeDeps,
  immediate: readonly (keyof Port & string)[],
): Port {
  return new Proxy(port, {
    get(target, property) {
      const method = Reflect.get(target, property)
      if (typeof method !== 'function') return method
      const bound = method.bind(target)
      if ((immediate as readonly string[]).includes(String(property))) {
        return (...args: unknown[]) => bound(...args.map((arg) => onlyAlive(arg, life)))
      }
      return (...args: unknown[]) => call(`${label}.${String(property)}`, () => bound(...args), life, deps)
    },
  })
}

/** A callback of the dead is never called. */
function onlyAlive(value: unknown, life: Life): unknown {
  if (typeof value !== 'function') return value
  return (...args: unknown[]) => (life.alive ? value(...args) : undefined)
}

function call(what: string, effect: () => unknown, life: Life, deps: LifeDeps): Promise<unknown> {
  const { scheduler, random, faults } = deps
  return new Promise((resolve, reject) => {
    if (!life.alive) return
    const error = failureOf(what, faults, random)
    const tookEffect = random.chance(0.5)
    scheduler.after(latencyMs(random), () => {
      if (!life.alive) return
      if (random.chance(faults.crash / 2)) return life.kill(`before ${what}`)
      if (error !== null && !tookEffect) return reject(error)
      Promise.resolve()
        .then(effect)
        .then(
          (value) => answer(() => (error === null ? resolve(value) : reject(error))),
          (thrown) => answer(() => reject(thrown)),
        )
    })
    function answer(settle: () => void): void {
      scheduler.after(latencyMs(random), () => {
        if (!life.alive) return
        if (random.chance(faults.crash / 2)) return life.kill(`after ${what}`)
        settle()
      })
    }
  })
}

function failureOf(what: string, faults: ProcessFaults, random: Random): HoldfastError | null {
  if (what.startsWith('ledger.') && random.chance(faults.ledgerFails)) {
    return new HoldfastError('E_LEDGER_UNAVAILABLE', { reason: 'simulated', outcomeUnknown: true })
  }
  if (what.startsWith('forge.') && random.chance(faults.forgeFails)) {
    return new HoldfastError('E_FORGE_UNAVAILABLE', { call: what, why: 'simulated' })
  }
  return null
}

/** Mostly quick, sometimes slow enough for anything to happen in between. */
function latencyMs(random: Random): number {
  return random.chance(0.03) ? random.between(200, 8_000) : random.between(0, 5)
}
