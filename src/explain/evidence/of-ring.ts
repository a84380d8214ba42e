import { durationText } from '../../api/index.ts'
import type { HostRing, HostSample } from '../../domain/death/index.ts'
import { bytesText } from '../words.ts'
import { type Item, item } from './item.ts'

/** Above this share of the last ten seconds something waited for it: worth a word. */
const PRESSURE_TOLD = 20
/** So much of a table or a disk in use is worth a word. */
const FULL_TOLD = 0.9
const OOM_LINES_MAX = 3

/** What the agent says: from outside, so that nothing in the runner could write it. */
export function ringItems(ring: HostRing | null): Item[] {
  if (ring === null) return []
  const last = ring.samples.at(-1)
  return [
    ...ring.oomLines
      .slice(0, OOM_LINES_MAX)
      .map(({ at, line }) => item('agent', at, `The kernel wrote: ${line}`)),
    ...(last === undefined ? [] : [item('agent', last.at, sampleText(last))]),
    ...(ring.lastSampleAgeMs === null
      ? []
      : [item('agent', ring.endedAt, ageText(ring, ring.lastSampleAgeMs))]),
  ]
}

/** A node that dies whole takes with it what was not sent: then the newest ring is of a runner that lived. */
function ageText({ endedAt }: HostRing, ageMs: number): string {
  const when =
    endedAt === null ? 'the agent last sent it; its group was still there then' : 'its processes were gone'
  return `The newest sample was ${durationText(ageMs)} old when ${when}.`
}

function sampleText(sample: HostSample): string {
  const { memoryBytes, memoryLimitBytes, oomKills, processes, processesMax = null } = sample
  const limit = memoryLimitBytes === null ? '' : ` of ${bytesText(memoryLimitBytes)}`
  const parts = [
    memoryBytes === null ? '' : `${bytesText(memoryBytes)}${limit} of memory`,
    oomKills === null ? '' : `${oomKills} killed at the limit`,
    processes === null ? '' : `${processes}${processesMax === null ? '' : ` of ${processesMax}`} processes`,
    sample.forksRefused ? `${sample.forksRefused} refused for that limit` : '',
    pressure('memory', sample.memoryPressure),
    pressure('the processor', sample.cpuPressure),
    pressure('the disk', sample.ioPressure),
    full("the node's file table", sample.nodeFilesOpen, sample.nodeFilesMax),
    full("the node's connection table", sample.nodeConntrack, sample.nodeConntrackMax),
    sample.nodeDiskFreeBytes === 0 ? "the node's disk is full" : '',
    sample.nodeInodesFree === 0 ? 'the node has no inode left' : '',
  ].filter((part) => part !== '')
  return `In the newest sample: ${parts.length === 0 ? 'nothing that can be read' : parts.join(', ')}.`
}

function pressure(what: string, share: number | null): string {
  return share === null || share < PRESSURE_TOLD
    ? ''
    : `waiting for ${what} ${Math.round(share)} % of the time`
}

function full(what: string, used: number | null, max: number | null): string {
  return used === null || max === null || max <= 0 || used / max < FULL_TOLD
    ? ''
    : `${what} ${used} of ${max}`
}
