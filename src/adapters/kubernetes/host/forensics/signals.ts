import { constants } from 'node:os'

const names: ReadonlyMap<number, string> = new Map(
  Object.entries(constants.signals).map(([name, number]) => [number, name]),
)

/** The name of a signal as the kubelet numbers it; null where there was none. */
export function signalNameOf(number: number | undefined): string | null {
  return number === undefined || number === 0 ? null : (names.get(number) ?? `signal ${number}`)
}
