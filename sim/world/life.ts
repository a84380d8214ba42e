import { HoldfastError } from '../../src/domain/errors/index.ts'
import type { Instant } from '../../src/domain/time.ts'
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
  /** The same for the cluster. */
  clusterFails: number
  /** The same for where death records are written. */
  sinkFails: number
}

/** One life of a process: from its start until it is killed. What it awaited then never comes back. */
export interface Life {
  readonly name: string
  readonly alive: boolean
  /** Until then it stands still, as under a debugger or on a machine that sleeps; it does not notice. */
  readonly pausedUntil: Instant
  pause(forMs: number): void
  /** It will stand still right before its next call of this kind: what it decided is old when it is written. */
  pauseBefore(call: string, forMs: number): void
  /** Called before each call. */
  about(call: string): void
  kill(why: string): void
}

export interface LifeDeps {
  readonly scheduler: Scheduler
  readonly random: Random
  readonly history: History
  readonly faults: ProcessFaults
  readonly onKill: () => void
  /** Called as a call leaves; gives how much longer than usual it is under way. */
  readonly onCall?: (call: string) => number
}

export function createLife(name: string, deps: LifeDeps): Life {
  let alive = true
  let pausedUntil = 0
  let armed: { readonly call: string; readonly forMs: number } | null = null
  return {
    name,
    get alive() {
      return alive
    },
    get pausedUntil() {
      return pausedUntil
    },
    pause(forMs) {
      if (!alive) return
      deps.history.note(name, `PAUSED for ${Math.round(forMs / 1000)} s`)
      pausedUntil = deps.scheduler.now() + forMs
    },
    pauseBefore(call, forMs) {
      armed = { call, forMs }
    },
    about(call) {
      if (armed?.call !== call) return
      this.pause(armed.forMs)
      armed = null
    },
    kill(why) {
      if (!alive) return
      alive = false
      deps.history.note(name, `KILLED ${why}`)
      deps.onKill()
    },
  }
}

/** Schedules work of a process: it runs at once, when the process wakes up, or never. Returns its cancellation. */
export function whenAwake(life: Life, scheduler: Scheduler, callback: () => void): () => void {
  let cancel: () => void = () => undefined
  const attempt = () => {
    const leftMs = life.pausedUntil - scheduler.now()
    if (!life.alive) return
    if (leftMs <= 0) callback()
    else cancel = scheduler.after(leftMs, attempt)
  }
  attempt()
  return () => cancel()
}

/** A clock that stands still for the dead, and may be late. */
export function clockOf(life: Life, scheduler: Scheduler, skewMs: number): Clock {
  return {
    now: () => scheduler.now() + skewMs,
    after(delayMs, callback) {
      let wake: () => void = () => undefined
      const cancel = scheduler.after(delayMs, () => {
        wake = whenAwake(life, scheduler, callback)
      })
      return () => {
        cancel()
        wake()
      }
    },
    sleep: (delayMs, signal) =>
      new Promise((resolve, reject) => {
        const settle = () => (signal?.aborted ? reject(signal.reason) : resolve())
        scheduler.after(delayMs, () => whenAwake(life, scheduler, settle))
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
        return (...args: unknown[]) => bound(...args.map((arg) => onlyAlive(arg, life, deps.scheduler)))
      }
      return (...args: unknown[]) => call(`${label}.${String(property)}`, () => bound(...args), life, deps)
    },
  })
}

/** A callback of the dead is never called, and one of a sleeper when it wakes up. */
function onlyAlive(value: unknown, life: Life, scheduler: Scheduler): unknown {
  if (typeof value !== 'function') return value
  return (...args: unknown[]) => void whenAwake(life, scheduler, () => value(...args))
}

/** A call of a process to the outside. `beforeSend` throws where one that stood still may not send it any more. */
export function call(
  what: string,
  effect: () => unknown,
  life: Life,
  deps: LifeDeps,
  beforeSend: () => void = () => undefined,
): Promise<unknown> {
  const { scheduler, random, faults } = deps
  return new Promise((resolve, reject) => {
    if (!life.alive) return
    const error = failureOf(what, faults, random)
    const tookEffect = random.chance(0.5)
    life.about(what)
    const lateMs = deps.onCall?.(what) ?? 0
    const send = () => {
      if (random.chance(faults.crash / 2)) return life.kill(`before ${what}`)
      if (error !== null && !tookEffect) return reject(error)
      Promise.resolve()
        .then(effect)
        .then(
          (value) => answer(() => (error === null ? resolve(value) : reject(error))),
          (thrown) => answer(() => reject(thrown)),
        )
    }
    // A request that left a process before it froze arrives all the same.
    const isHeld = life.pausedUntil > scheduler.now()
    scheduler.after(latencyMs(random) + lateMs, () => {
      if (isHeld) whenAwake(life, scheduler, sendLate)
      else if (life.alive) send()
    })
    function sendLate(): void {
      try {
        beforeSend()
      } catch (error) {
        reject(error)
        return
      }
      send()
    }
    function answer(settle: () => void): void {
      const arrive = () => {
        if (random.chance(faults.crash / 2)) life.kill(`after ${what}`)
        else settle()
      }
      scheduler.after(latencyMs(random), () => whenAwake(life, scheduler, arrive))
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
  if (what.startsWith('sink.') && random.chance(faults.sinkFails)) {
    return new HoldfastError('E_SINK_FAILED', { sink: 'sim', reason: 'simulated' })
  }
  // The host itself remembers a create whose answer is lost.
  if (what.startsWith('cluster.') && what !== 'cluster.start' && random.chance(faults.clusterFails)) {
    return new HoldfastError('E_CLUSTER_UNREACHABLE', {
      call: what,
      reason: 'simulated',
      outcomeUnknown: true,
    })
  }
  return null
}

/** Mostly quick, sometimes slow enough for anything to happen in between. */
function latencyMs(random: Random): number {
  return random.chance(0.03) ? random.between(200, 8_000) : random.between(0, 5)
}
