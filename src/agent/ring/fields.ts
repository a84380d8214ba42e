import type { HostSample } from '../../domain/death/index.ts'
import type { Instant } from '../../domain/time.ts'

/** What a sample says of the pod's own group. */
export type GroupReading = Pick<
  HostSample,
  | 'memoryBytes'
  | 'memoryLimitBytes'
  | 'oomKills'
  | 'cpuMs'
  | 'throttledMs'
  | 'processes'
  | 'processesMax'
  | 'forksRefused'
  | 'memoryPressure'
  | 'cpuPressure'
  | 'ioPressure'
>

/** What it says of the node under it. */
export type NodeReading = Omit<HostSample, keyof GroupReading | 'at'>

/** The fields of a sample in the order in which rings and their files hold them; `at` comes first, new ones last. */
export const sampleFields = [
  'at',
  'memoryBytes',
  'memoryLimitBytes',
  'oomKills',
  'cpuMs',
  'throttledMs',
  'processes',
  'memoryPressure',
  'cpuPressure',
  'ioPressure',
  'nodeMemoryFreeBytes',
  'nodeFilesOpen',
  'nodeFilesMax',
  'nodeDiskFreeBytes',
  'nodeInodesFree',
  'nodeConntrack',
  'nodeConntrackMax',
  'processesMax',
  'forksRefused',
] as const satisfies readonly (keyof HostSample)[]

/** So many had the first agents: their files are read as well, and what they lack is not known. */
export const sampleFieldsLeast = 17

/** A sample of what stands in each column. */
export function sampleFrom(at: Instant, valueIn: (column: number) => number | null): HostSample {
  const values = {} as Record<keyof HostSample, number | null>
  for (let column = 0; column < sampleFields.length; column += 1) {
    values[sampleFields[column] as keyof HostSample] = valueIn(column)
  }
  return Object.assign(values, { at })
}
