import type { RemedyDeps } from './deps.ts'

const hourMs = 60 * 60_000

/** Acts of this remedy within the hour. A passed re-check counts: its act may have been done although nobody noted it. */
export async function actsOfHour(
  { name }: { readonly name: string },
  { trail, clock }: RemedyDeps,
): Promise<number> {
  const since = clock.now() - hourMs
  const rows = await trail.rows()
  return rows.filter(({ at, remedy, step }) => remedy === name && step === 're-checked' && at > since).length
}
