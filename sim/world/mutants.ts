import type { ListedJobs } from '../../src/ports/forge.ts'
import type { Due } from '../../src/ports/ledger.ts'
import { foreignMutants } from './foreign/mutants.ts'
import { lostMutants } from './lost-mutants.ts'
import type { Mutant } from './mutant.ts'
import { originMutants } from './origin-mutants.ts'
import { override } from './override.ts'

export type { Mutant } from './mutant.ts'

const nothingListed: ListedJobs = { events: [], read: [], notCovered: [], runsGone: 0 }

const lookSoonMs = 2_000

export const mutants: readonly Mutant[] = [
  {
    name: 'a repeated poll is given whatever attempt waits',
    breaks: ['I2', 'I1/I2', 'I3'],
    mutate: (around, { ledger }) => ({
      ...around,
      ledger: override(around.ledger, {
        async openAttempt(runnerId) {
          const own = await ledger.openAttempt(runnerId)
          if (own !== null) return own
          const other = [...ledger.rows.attempts.values()].find((attempt) => ledger.rows.jits.has(attempt.id))
          return other === undefined ? null : ledger.openAttempt(other.runnerId)
        },
      }),
    }),
  },
  {
    name: 'the JIT is answered before its delivery is written',
    breaks: ['I3'],
    mutate: (around, { ledger }) => ({
      ...around,
      ledger: override(around.ledger, {
        async deliver(handle) {
          const attempt = [...ledger.rows.attempts.values()].find((row) => row.handle === handle)
          const jit = attempt === undefined ? undefined : ledger.rows.jits.get(attempt.id)
          return jit === undefined ? { kind: 'lost' } : { kind: 'ok', jit }
        },
      }),
    }),
  },
  {
    name: 'an empty listing of the forge is read as "nothing is queued"',
    breaks: ['I6'],
    mutate: (around) => ({
      ...around,
      forge: override(around.forge, { listJobs: async () => nothingListed }),
    }),
  },
  {
    name: 'a job is quarantined for what the forge refuses to everybody',
    breaks: ['I6', 'end'],
    mutate: (around) => ({
      ...around,
      ledger: override(around.ledger, {
        mintFailed: (handle, failure) =>
          around.ledger.mintFailed(handle, { ...failure, incident: null, failuresMax: 1 }),
      }),
    }),
  },
  {
    name: 'a job that the forge did not answer for is taken as gone',
    breaks: ['I6', 'end'],
    mutate: (around) => {
      let reads = 0
      return {
        ...around,
        forge: override(around.forge, {
          readJob: async (scope, id, signal) =>
            ++reads % 3 === 0 ? null : around.forge.readJob(scope, id, signal),
        }),
      }
    },
  },
  {
    name: 'an attempt is ended and its job is forgotten',
    breaks: ['I7'],
    mutate: (around, { ledger }) => ({
      ...around,
      ledger: override(around.ledger, {
        async endAttempt(handle, end, cause) {
          const attempt = [...ledger.rows.attempts.values()].find((row) => row.handle === handle)
          const before = attempt === undefined ? undefined : ledger.rows.jobs.get(attempt.jobId)
          const result = await ledger.endAttempt(handle, end, cause)
          if (before !== undefined && result.kind === 'ok') ledger.rows.jobs.set(before.id, before)
          return result
        },
      }),
    }),
  },
  {
    name: 'a late event raises a job that has ended',
    breaks: ['I8'],
    mutate: (around, { ledger }) => ({
      ...around,
      ledger: override(around.ledger, {
        async applyJobEvent(event, cause, settles) {
          const result = await ledger.applyJobEvent(event, cause, settles)
          const job = result.kind === 'nothing' ? ledger.rows.jobs.get(result.jobId) : undefined
          if (job !== undefined && job.endedAt !== null && event.status === 'queued') {
            ledger.rows.jobs.set(job.id, { ...job, state: 'queued', conclusion: null, endedAt: null })
          }
          return result
        },
      }),
    }),
  },
  {
    name: 'a runner of another machine is taken as vanished',
    breaks: ['I4', 'I9', 'rest'],
    mutate: (around, { ledger }) => {
      const ours = <T extends Due>(subject: T): T =>
        subject.kind === 'runner'
          ? { ...subject, runner: { ...subject.runner, host: around.host.id } }
          : subject
      return {
        ...around,
        ledger: override(around.ledger, {
          due: async (limit) =>
            [...(await ledger.due(limit, 'host-0')), ...(await ledger.due(limit, 'host-1'))].map(ours),
        }),
      }
    },
  },
  {
    name: 'an attempt that was archived is read as one that never was',
    breaks: ['I4'],
    mutate: (around, { ledger }) => {
      const forgetful = <T extends Due>(subject: T): T =>
        subject.kind === 'runner' && subject.last === null
          ? { ...subject, runner: { ...subject.runner, everClaimed: false } }
          : subject
      return {
        ...around,
        ledger: override(around.ledger, {
          async archive(olderThanMs, limit) {
            const { jobs, attempts, archived } = ledger.rows
            for (const { id } of [...jobs.values()].filter(({ endedAt }) => endedAt !== null)) {
              const file = await ledger.jobFile(id)
              if (file === null || file.attempts.some(({ endedAt }) => endedAt === null)) continue
              archived.set(id, { ...file, archived: true })
              for (const attempt of file.attempts) attempts.delete(attempt.id)
              jobs.delete(id)
            }
            return ledger.archive(olderThanMs, limit)
          },
          due: async (limit, host) => (await ledger.due(limit, host)).map(forgetful),
          // The start of a runner is not received, so that it may work on an unknown job; checks come soon.
          applyJobEvent: (event, cause, settles) =>
            ledger.applyJobEvent(
              event.status === 'in_progress' ? { ...event, status: 'queued', runnerName: null } : event,
              cause,
              settles,
            ),
          postpone: (of, delayMs) =>
            ledger.postpone(of, of.kind === 'runner' ? Math.min(delayMs, lookSoonMs) : delayMs),
          subject: async (of) => {
            const subject = await ledger.subject(of)
            return subject === null ? null : forgetful(subject)
          },
        }),
        host: override(around.host, {
          // And the host believes the same, as it did where it asked nobody.
          stop: (name, order) => {
            const runner = [...ledger.rows.runners.values()].find((row) => row.name === name)
            const isForgotten =
              runner?.everClaimed === true &&
              ![...ledger.rows.attempts.values()].some(({ runnerId }) => runnerId === runner.id)
            return around.host.stop(name, isForgotten ? { ...order, evenIfStarted: true } : order)
          },
        }),
      }
    },
  },
  {
    name: 'a runner is released without its death being sealed',
    breaks: ['end', 'I9'],
    mutate: (around) => ({ ...around, ledger: override(around.ledger, { sealDeath: async () => 'sealed' }) }),
  },
  {
    name: 'a runner is stopped that was not fenced',
    breaks: ['I4'],
    mutate: (around) => ({
      ...around,
      ledger: override(around.ledger, { fence: async () => 'fenced' }),
    }),
  },
  {
    name: 'a pod is asked to go although its program has started',
    breaks: ['I4'],
    mutate: (around) => ({
      ...around,
      host: override(around.host, {
        stop: (name, order) => around.host.stop(name, { ...order, evenIfStarted: true }),
      }),
    }),
  },
  {
    name: 'a pod is released before its end is sealed',
    breaks: ['I5'],
    mutate: (around) => ({
      ...around,
      host: override(around.host, {
        async ending(name) {
          const ending = await around.host.ending(name)
          if (ending !== null) await around.host.release(name).catch(() => undefined)
          return ending
        },
      }),
    }),
  },
  {
    name: 'runners are counted in the watch instead of the ledger',
    breaks: ['max', 'surplus'],
    mutate: (around, { ledger }) => ({
      ...around,
      ledger: override(around.ledger, {
        async counts() {
          const shown = new Set((await around.host.list()).map(({ name }) => name))
          return (await ledger.counts()).map((row) => ({
            ...row,
            runners: { ...row.runners, ...countShown(row.pool) },
          }))
          function countShown(pool: string) {
            const count = (state: string) =>
              [...ledger.rows.runners.values()].filter(
                (runner) => runner.pool === pool && runner.state === state && shown.has(runner.name),
              ).length
            return { booting: count('booting'), polling: count('polling') }
          }
        },
      }),
    }),
  },
  {
    name: 'a pod that an old watch does not show is taken as gone',
    breaks: ['I5'],
    mutate: (around) => ({
      ...around,
      host: override(around.host, {
        find: async (name) => (await around.host.list()).find((runner) => runner.name === name) ?? null,
      }),
    }),
  },
  {
    name: 'the token of an old leader is accepted',
    breaks: ['max', 'surplus'],
    mutate: (around, { ledger }) => ({
      ...around,
      ledger: override(around.ledger, {
        enrolAll: (runners, cause) => ledger.enrolAll(runners, cause, null),
        putPools: (pools, cause) => ledger.putPools(pools, cause, null),
      }),
    }),
  },
  {
    name: 'any number of nodes may be quarantined',
    breaks: ['quarantine'],
    mutate: (around) => ({
      ...around,
      host: override(around.host, {
        // So many that are none: whatever there is is a minority of these.
        async nodes() {
          const real = await around.host.nodes()
          const none = Array.from({ length: 20 }, (_, n) => ({ ...real[0], name: `none-${n}` }))
          return [...real, ...(none as typeof real)]
        },
      }),
    }),
  },
  {
    name: 'recovery does as much in an hour as it likes',
    breaks: ['I10'],
    mutate: (around) => ({
      ...around,
      ledger: override(around.ledger, {
        recordBounded: async (decision) => ({
          kind: 'recorded',
          id: await around.ledger.recordDecision(decision),
        }),
      }),
    }),
  },
  {
    name: 'a death record is passed over on its way to the sink',
    breaks: ['sink'],
    mutate: (around, { ledger }) => ({
      ...around,
      ledger: override(around.ledger, {
        deathsAfter: (evidenceId, limit) => ledger.deathsAfter(evidenceId + 1, limit),
      }),
    }),
  },
  {
    name: 'a job is held to a limit that its pool does not have',
    breaks: ['I4'],
    mutate: (around, { ledger }) => ({
      ...around,
      ledger: override(around.ledger, {
        due: async (limit, host) => (await ledger.due(limit, host)).map((each) => ({ ...each, maxJobMs: 1 })),
        subject: (of) => ledger.subject(of).then((each) => each && { ...each, maxJobMs: 1 }),
      }),
    }),
  },
  ...lostMutants,
  ...originMutants,
  ...foreignMutants,
]
