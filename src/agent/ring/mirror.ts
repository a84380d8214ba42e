import type { HostSample, HostSamples } from '../../domain/death/index.ts'
import type { Instant } from '../../domain/time.ts'
import { sampleFields, sampleFieldsLeast, sampleFrom } from './fields.ts'

/** The content of a ring's file: all of a ring except the fields that depend on the time of reading. */
export interface Mirrored {
  readonly samples: readonly HostSample[]
  readonly oomLines: HostSamples['oomLines']
  readonly missing: readonly string[]
  readonly endedAt: Instant | null
}

/*
 * One line for each fact, so that a crash in the middle of a line costs that line alone:
 *   s <at> <value or -> …     k <at> <line of the kernel>     m <what is missing>     e <at>
 */

export function sampleLine(sample: HostSample): string {
  let line = 's'
  for (const field of sampleFields) line += ` ${sample[field] ?? '-'}`
  return `${line}\n`
}

export function kernelLine({ at, line }: HostSamples['oomLines'][number]): string {
  return `k ${at} ${line}\n`
}

export function missingLine(what: string): string {
  return `m ${what}\n`
}

export function endLine(at: Instant): string {
  return `e ${at}\n`
}

/** The whole file. */
export function mirrorText({ samples, oomLines, missing, endedAt }: Mirrored): string {
  return [
    ...samples.map(sampleLine),
    ...oomLines.map(kernelLine),
    ...missing.map(missingLine),
    ...(endedAt === null ? [] : [endLine(endedAt)]),
  ].join('')
}

/** Parses the valid lines of a file; the last line counts only if it is complete. */
export function readMirror(text: string): Mirrored {
  const samples: HostSample[] = []
  const oomLines: { at: Instant; line: string }[] = []
  const missing: string[] = []
  let endedAt: Instant | null = null
  for (const line of text.slice(0, text.lastIndexOf('\n') + 1).split('\n')) {
    const rest = line.slice(2)
    if (line.startsWith('s ')) {
      const sample = sampleOf(rest)
      if (sample !== null) samples.push(sample)
    } else if (line.startsWith('k ')) {
      const space = rest.indexOf(' ')
      const at = numberOf(rest.slice(0, space))
      if (at !== null) oomLines.push({ at, line: rest.slice(space + 1) })
    } else if (line.startsWith('m ')) missing.push(rest)
    else if (line.startsWith('e ')) endedAt = numberOf(rest) ?? endedAt
  }
  samples.sort((a, b) => a.at - b.at)
  return { samples, oomLines, missing, endedAt }
}

function sampleOf(text: string): HostSample | null {
  const words = text.split(' ')
  const at = numberOf(words[0])
  if (at === null || words.length < sampleFieldsLeast || words.length > sampleFields.length) return null
  return sampleFrom(at, (column) => numberOf(words[column]))
}

function numberOf(word: string | undefined): number | null {
  return word !== undefined && /^\d+(\.\d+)?$/.test(word) ? Number(word) : null
}
