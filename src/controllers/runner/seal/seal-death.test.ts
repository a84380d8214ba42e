import { describe, expect, it } from 'vitest'
import { type ControlBench, createControlBench, exited } from '../../../../test/support/control-bench.ts'
import { classifyDeath, type DeathRecord, type Ending } from '../../../domain/death/index.ts'
import { aPodEnd } from '../../../domain/death/testing.ts'
import { sealDeath } from './index.ts'

const cause = { source: 'lifecycle' } as const
const clean = (confidence: DeathRecord['confidence'], over: Partial<Ending> = {}): DeathRecord => {
  const ending = { ...exited, exitCode: 0, tail: `${'x'.repeat(99)}\n`.repeat(50), pod: aPodEnd(), ...over }
  return { ...classifyDeath(ending), class: 'clean', confidence }
}
const sealed = async (bench: ControlBench, record: DeathRecord) => {
  const runner = await bench.runner()
  const outcome = await sealDeath({ runner, record, reason: record.class }, cause, bench)
  const row = [...bench.ledger.rows.evidence.values()].at(-1)
  return { runner, outcome, kept: row?.record as unknown as DeathRecord }
}
const linesOf = ({ log }: ControlBench): Record<string, unknown>[] =>
  log.lines.map(({ message, fields }) => ({ message, ...fields }))

describe('sealing a death record', () => {
  it('logs the two lines by which log stores are searched (docs/incidents)', async () => {
    const bench = await createControlBench()
    const pod = aPodEnd()
    const ending = { ...exited, exitCode: 139, signal: 'SIGSEGV', endedAt: Date.UTC(2026, 0, 2), pod }
    const { runner } = await sealed(bench, classifyDeath(ending))
    const [runnerContainer] = pod.containers.filter(({ name }) => name === 'runner')
    expect(linesOf(bench)).toEqual([
      {
        message: 'runner pod terminated',
        pod: pod.place.pod,
        pool: 'linux',
        phase: pod.phase,
        exitCode: 139,
        signal: 'SIGSEGV',
        reason: runnerContainer?.reason ?? null,
        runner: runner.name,
        class: 'crash',
        outcome: 'complete',
      },
      {
        message: 'runner death log captured',
        pod: pod.place.pod,
        pool: 'linux',
        endedAt: '2026-01-02T00:00:00.000Z',
        class: 'crash',
        tail: 'its last words',
      },
    ])
  })

  it('counts the job that it makes lost once, and none where the ledger names none', async () => {
    const bench = await createControlBench()
    const runner = await bench.runner()
    const death = { runner, record: classifyDeath(exited), reason: 'killed' }
    const lost = () => bench.metrics.counts.get('holdfast_jobs_lost_total{linux}')
    const answers = ['sealed', 'lost', 'already'] as const
    const counts: unknown[] = []
    for (const answer of answers) {
      const ledger = { ...bench.ledger, sealDeath: async () => answer }
      const result = await sealDeath(death, cause, { ...bench, ledger })
      counts.push([result, lost()])
    }
    expect(counts).toEqual([
      ['sealed', undefined],
      ['sealed', 1],
      ['already', 1],
    ])
  })

  it('logs nothing before the ledger has it, nor where it was sealed before', async () => {
    const bench = await createControlBench()
    const away = { ...bench.ledger, sealDeath: () => Promise.reject(new Error('away')) }
    const runner = await bench.runner()
    const death = { runner, record: classifyDeath(exited), reason: 'killed' }
    await expect(sealDeath(death, cause, { ...bench, ledger: away })).rejects.toThrow('away')
    expect(linesOf(bench)).toEqual([])
    expect(await sealDeath(death, cause, bench)).toBe('sealed')
    expect(await sealDeath(death, cause, bench)).toBe('already')
    expect(linesOf(bench)).toHaveLength(2)
    expect(bench.metrics.counts.get('holdfast_deaths_total{sigkill-unknown}')).toBe(1)
  })

  it('logs the newest part of a long tail, and stores all of it in the ledger', async () => {
    const bench = await createControlBench()
    const tail = `${'x'.repeat(99)}\n`.repeat(600).concat('the end\n')
    const { kept } = await sealed(bench, classifyDeath({ ...exited, tail }))
    expect(kept.ending?.tail).toBe(tail)
    const logged = String(linesOf(bench)[1]?.tail)
    expect(logged.endsWith('the end\n')).toBe(true)
    expect(logged.length).toBeLessThanOrEqual(16 * 1024)
  })

  it('stores a clean end that the forge confirms without its output, and captures none', async () => {
    const bench = await createControlBench()
    const { kept } = await sealed(bench, clean('proven'))
    expect(kept.ending).toMatchObject({ exitCode: 0, tail: '', pod: { events: [], nodeAtEnd: null } })
    expect(JSON.stringify(kept).length).toBeLessThan(4_000)
    expect(linesOf(bench).map(({ message }) => message)).toEqual(['runner pod terminated'])
  })

  it('keeps the last lines of an end that only the log shows as clean', async () => {
    const { kept } = await sealed(await createControlBench(), clean('likely'))
    expect(kept.ending?.tail).toBe(`${'x'.repeat(99)}\n`.repeat(10))
  })

  it.each([
    ['nobody agrees with', clean('unknown')],
    ['had another exit code', clean('likely', { exitCode: null })],
  ])('keeps all of an end that looks clean and that %s', async (_, record) => {
    const bench = await createControlBench()
    const { kept } = await sealed(bench, record)
    expect(kept.ending?.tail).toBe(record.ending?.tail)
    expect(linesOf(bench).map(({ message }) => message)).toContain('runner death log captured')
  })

  it('counts an incomplete record, and warns of a vanished runner', async () => {
    const bench = await createControlBench()
    await sealed(bench, classifyDeath(null))
    const { counts } = bench.metrics
    expect(counts.get('holdfast_deaths_incomplete_total{vanished}')).toBe(1)
    expect(counts.get('holdfast_runners_vanished_total{linux}')).toBe(1)
    expect(bench.log.lines).toMatchObject([{ level: 'warn', message: 'runner pod terminated' }])
    expect(linesOf(bench)[0]).toMatchObject({ exitCode: null, reason: null, class: 'vanished' })
  })

  it('does not warn of any other', async () => {
    const bench = await createControlBench()
    await sealed(bench, classifyDeath(exited))
    const counted = [...bench.metrics.counts.keys()].filter((name) => /incomplete|vanished/.test(name))
    expect(counted).toEqual([])
  })
})
