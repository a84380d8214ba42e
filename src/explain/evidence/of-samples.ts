import { durationText } from '../../api/index.ts'
import type { HostSample, HostSamples } from '../../domain/death/index.ts'
import { bytesText } from '../text.ts'
import { type EvidenceItem, evidenceItem } from './item.ts'

/** Percent of the last ten seconds with a stalled task from which pressure is shown. */
const pressureShownPercent = 20
/** Share of a table in use from which it is shown. */
const usageShownShare = 0.9
const oomLinesMax = 3

/** The agent's facts: read from outside, so that nothing in the runner could write them. */
export function sampleItems(samples: HostSamples | null): EvidenceItem[] {
  if (samples === null) return []
  const last = samples.samples.at(-1)
  return [
    ...samples.oomLines
      .slice(0, oomLinesMax)
      .map(({ at, line }) => evidenceItem('agent', at, `The kernel wrote: ${line}`)),
    ...(last === undefined ? [] : [evidenceItem('agent', last.at, sampleText(last))]),
    ...(samples.lastSampleAgeMs === null
      ? []
      : [evidenceItem('agent', samples.endedAt, ageText(samples, samples.lastSampleAgeMs))]),
  ]
}

/** A node that crashes loses the samples that it had not sent: then the newest ones are of a runner that was alive. */
function ageText({ endedAt }: HostSamples, ageMs: number): string {
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
  return share === null || share < pressureShownPercent
    ? ''
    : `waiting for ${what} ${Math.round(share)} % of the time`
}

function full(what: string, used: number | null, max: number | null): string {
  return used === null || max === null || max <= 0 || used / max < usageShownShare
    ? ''
    : `${what} ${used} of ${max}`
}
