import { isSimulated } from '../../domain/forge/index.ts'
import type { Context } from '../context.ts'
import type { ServingAt } from '../deps.ts'

/** The banner of `holdfast up`: what started, where to look, what to do next. */
export function servingText(
  { url, forge, fleet, dataDir, database }: ServingAt,
  { colors, self }: Context,
): string {
  const next = isSimulated(forge.kind)
    ? [
        ['a realistic mix', `${self} demo`],
        ['one job', `${self} submit --script 'echo hi' --wait`],
        ['what became of it', `${self} jobs --all`],
      ]
    : [
        ['webhooks go to', `${url}/webhooks/forge`],
        ['what became of jobs', `${self} jobs --all`],
      ]
  const rows = [
    ['status page', url],
    ['forge', `${forge.kind}, ${forge.url}`],
    ['runners', fleet.where],
    ...(fleet.warning === null ? [] : [['', fleet.warning]]),
    ...(fleet.kind === 'kubernetes' ? [['how pools fare', 'kubectl get runnerpools']] : []),
    ['ledger', database === 'embedded' ? `embedded Postgres in ${dataDir}` : 'the Postgres of DATABASE_URL'],
    ...next,
    ['to end', 'Ctrl-C; a restart goes on where it was'],
  ]
  const lines = rows.map(([name = '', text = '']) => `  ${colors.dim(name.padEnd(20))}${text}`)
  return [colors.bold(colors.green('Holdfast serves.')), ...lines].join('\n')
}
