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
  | 'memoryPressure'
  | 'cpuPressure'
  | 'ioPressure'
>

/** What it says of the node under it. */
export type NodeReading = Omit<HostSample, keyof GroupReading | 'at'>

/** The fields of a sample in the order in which rings and their files hold them; `at` comes first. */
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
] as const satisfies readonly (keyof HostSample)[]

/** A sample of what stands in each column. */
export function sampleFrom(at: Instant, valueIn: (column: number) => number | null): HostSample {
  const values = {} as Record<keyof HostSample, number | null>
  for (let column = 0; column < sampleFields.length; column += 1) {
    values[sampleFields[column] as keyof HostSample] = valueIn(column)
  }
  return Object.assign(values, { at })
}
