import type { HostSample } from '../../domain/death/index.ts'
import type { Instant } from '../../domain/time.ts'

/** The part of a sample about the pod's own group. */
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

/** The part of a sample about the node. */
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

/** The number of fields of the first agents: their files are read as well, and missing fields are null. */
export const sampleFieldsLeast = 17

/** The sample with these values by column. */
export function sampleFrom(at: Instant, valueIn: (column: number) => number | null): HostSample {
  const values = {} as Record<keyof HostSample, number | null>
  for (let column = 0; column < sampleFields.length; column += 1) {
    values[sampleFields[column] as keyof HostSample] = valueIn(column)
  }
  return Object.assign(values, { at })
}
