import { loadavg } from 'node:os'
import { setTimeout } from 'node:timers/promises'
import { atMost, type Bench, type Row } from '../report.ts'
import { openNode } from './node.ts'
import { type Spent, startAgent, startIdle } from './processes.ts'
import { takeRings } from './server.ts'

const pods = 100
/** The budget. */
const goals = { cpuPercent: 1, rssMb: 80 } as const
/** Ends while it is measured; in a minute each of the others is pushed once as well. */
const ends = 5
const arrivalBoundMs = 30_000

export const agentBench: Bench = {
  name: 'agent',
  about: `the agent of a node with ${pods} pods, against an idle Node process`,
  async run({ quick, say }) {
    const measureMs = quick ? 10_000 : 60_000
    say(`An imitated node: the files of ${pods} groups on a real file system, each sampled once a second.`)
    say(`load average at the start: ${loadavg().map((load) => load.toFixed(1))}`)
    const rows: Row[] = []
    for (const of of [
      { version: 2, driver: 'systemd' },
      { version: 1, driver: 'cgroupfs' },
    ] as const) {
      const node = await openNode(of, pods)
      const server = await takeRings()
      const [agent, idle] = [startAgent(node, server.url), startIdle()]
      try {
        await agent.ready
        await setTimeout(5_000) // everything has been compiled
        const [before, idleBefore] = [agent.spent(), idle.spent()]
        await setTimeout(measureMs / 2)
        for (let index = 0; index < ends; index += 1) await node.end(index)
        await server.arrived(ends, arrivalBoundMs)
        await setTimeout(measureMs / 2)
        rows.push(...rowsOf(of.version, share(before, agent.spent()), share(idleBefore, idle.spent())))
        say(`version ${of.version}: ${server.samples()} samples arrived with ${server.count()} rings`)
      } finally {
        await Promise.all([agent.stop(), idle.stop(), server.close()])
        await node.close()
      }
    }
    return rows
  },
}

function share(before: Spent, after: Spent) {
  const cpuPercent = (100 * (after.cpuMs - before.cpuMs)) / (after.atMs - before.atMs)
  return { cpuPercent, rssMb: after.rssMb, rssPeakMb: after.rssPeakMb }
}

type Share = ReturnType<typeof share>

function rowsOf(version: number, ours: Share, idle: Share): Row[] {
  const what = `${pods} pods, version ${version}`
  return [
    atMost(`processor, ${what}`, '% of one', ours.cpuPercent, goals.cpuPercent, 1),
    atMost(`memory, ${what}`, 'MB', ours.rssMb, goals.rssMb, 1),
    atMost('… at its most', 'MB', ours.rssPeakMb, goals.rssMb, 1),
    atMost('… against an idle Node', 'MB', ours.rssMb, idle.rssMb, null),
  ]
}
