import { readFile, rm } from 'node:fs/promises'
import path from 'node:path'
import type { ProcessIdentity } from '../../../src/adapters/process/proc/index.ts'
import type { Place } from '../place.ts'
import { apiPortInside } from './control-plane.ts'

/** Listens on the caller's loopback and reaches the API server inside. Port 0: whichever is free. */
export function apiForwardCommand(
  tools: string,
  place: Place,
  network: ProcessIdentity,
  port: number,
): string[] {
  return inwardCommand(tools, place, 'forward-api', network, port, `127.0.0.1:${apiPortInside}`)
}

/** Listens on the caller's loopback and reaches an address inside the cluster, such as that of a pod. */
export function inwardCommand(
  tools: string,
  place: Place,
  name: string,
  network: ProcessIdentity,
  port: number,
  to: string,
): string[] {
  const inside = ['nsenter', '--target', `${network.pid}`, '--net', '--']
  const listening = [tools, 'listen', `127.0.0.1:${port}`, addressFile(place, name)]
  return [...listening, ...inside, tools, 'forward', to]
}

/** Listens inside the cluster and reaches the caller's loopback, where a program under test serves. */
export function exposeCommand(
  tools: string,
  place: Place,
  name: string,
  inside: string,
  outside: string,
): string[] {
  const back = ['nsenter', `--net=/proc/${process.pid}/ns/net`, '--']
  return [tools, 'listen', inside, addressFile(place, name), ...back, tools, 'forward', outside]
}

/** Removes the word of an earlier start. */
export async function forgetAddress(place: Place, name: string): Promise<void> {
  await rm(addressFile(place, name), { force: true })
}

/** The port that a forwarder has; null while it has none. */
export async function portOf(place: Place, name: string): Promise<number | null> {
  const text = await readFile(addressFile(place, name), 'utf8').catch(() => null)
  return text === null ? null : Number(text.slice(text.lastIndexOf(':') + 1))
}

function addressFile(place: Place, name: string): string {
  return path.join(place.folder, `${name}.address`)
}
