import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { audits, type Finding, runAudits } from '../../src/domain/audit/index.ts'
import { remedies } from '../../src/domain/audit/remedies.ts'
import { wholeScope } from '../../src/domain/audit/scope.ts'
import { contractOf, declaredLane } from '../../src/domain/audit/testing/judge.ts'
import type { Snapshot } from '../../src/domain/snapshot/index.ts'
import { arcSnapshot, arcStates } from '../support/arc-states.ts'
import { examples } from '../support/audits/examples.ts'
import { type CliBench, createCliBench, roles } from '../support/holdfast-cli.ts'

const contract = contractOf({ lanes: [declaredLane('arc-demo', { maxRunners: 500 })] })

/** Two hours later nothing is too young to be acted on. */
function later(snapshot: Snapshot): Snapshot {
  return { ...snapshot, takenAt: snapshot.takenAt + 2 * 60 * 60_000 }
}

/** Findings of every state that ARC wrote, with the forge and without, and of the examples of the docs. */
const findings: readonly Finding[] = [
  ...arcStates().flatMap((state) => {
    const whole = arcSnapshot(state, { withForge: true })
    return [whole, later(whole), arcSnapshot(state, { withForge: false })]
  }),
  ...Object.values(examples).map((make) => make()),
].flatMap(
  (snapshot) => runAudits({ audits, snapshot, contract, earlier: null, narrowed: wholeScope }).findings,
)

let cli: CliBench
beforeAll(async () => {
  cli = await createCliBench()
})
afterAll(() => cli.close())

/** The problem that the command line has with a command as it stands; null where it is understood. */
async function problemWith(command: string): Promise<string | null> {
  const [program, ...args] = command.split(' ')
  if (program !== 'holdfast') return `${program} is not ours`
  const over = {
    roles: { ...roles, collectSnapshot: async () => arcSnapshot('head/a-healthy-idle', { withForge: true }) },
  }
  const { err } = await cli.runWith(over, ...args)
  return err.includes('E_USAGE') ? `${command}: ${err}` : null
}

describe('a command that a finding names', () => {
  const commands = [...new Set(findings.flatMap(({ nextAllowedAction: { command } }) => command ?? []))]

  it('is understood by the command line, with each of its options', async () => {
    expect(commands.some((command) => command.startsWith('holdfast reap '))).toBe(true)
    const problems = await Promise.all(commands.map(problemWith))
    expect(problems.filter((problem) => problem !== null)).toEqual([])
  })

  it.each(['holdfast reap --scale-set a/b --no-such-option', 'holdfast no-such-command', 'kubectl get pods'])(
    'would be found out: %s',
    async (command) => {
      expect(await problemWith(command)).not.toBeNull()
    },
  )
})

describe('the next allowed action of a finding', () => {
  const actions = findings.map((finding) => ({ class: finding.class, ...finding.nextAllowedAction }))

  it('is a command that plans a remedy, a person’s decision with at most such a command, or something to read', () => {
    const plans = actions.filter(({ kind }) => kind === 'change')
    expect(plans.length).toBeGreaterThan(0)
    expect(plans.filter((each) => each.command === null || !Object.hasOwn(remedies, each.class))).toEqual([])
    const decided = actions.filter(({ kind, command }) => kind === 'person' && command !== null)
    expect(decided.filter((each) => !Object.hasOwn(remedies, each.class))).toEqual([])
    const reads = /^holdfast (?:audit|capacity check|triage|explain)(?: |$)/
    expect(
      actions.filter((each) => each.kind === 'read' && !reads.test(each.command ?? 'holdfast audit')),
    ).toEqual([])
  })

  it('of a class with a remedy is that of a class there is', () => {
    const known = audits.flatMap(({ classes }) => classes.map(({ name }) => name))
    expect(Object.keys(remedies).filter((name) => !known.includes(name))).toEqual([])
  })

  it('of every remedy is a command that the command line understands', async () => {
    const place = 'arc-runners/linux'
    const places = { subject: place, namespace: 'arc-runners', set: place, deployment: place }
    const commands = Object.values(remedies).map((remedy) => remedy.command(places) ?? 'none')
    expect((await Promise.all(commands.map(problemWith))).filter((each) => each !== null)).toEqual([])
  })
})
