import type { LedgerBench } from './ledger.ts'

const tables = { job: 'jobs', attempt: 'attempts', runner: 'runners' } as const

/**
 * A newer version writes a row: in a state that the domain of this one's migrations refuses. The domain is as strict as
 * before for whatever is written afterwards; the answer puts the state back.
 */
export async function makeUnreadable(
  bench: LedgerBench,
  { kind, id }: { readonly kind: keyof typeof tables; readonly id: number },
): Promise<() => Promise<void>> {
  const [table, domain] = [tables[kind], `${kind}_state`]
  const { rows } = await bench.run(`
    select (select state from ${table} where id = ${id}) as state,
           (select pg_get_constraintdef(oid) from pg_constraint where conname = '${domain}_check') as rule`)
  const { state, rule } = rows[0] as { readonly state: string; readonly rule: string }
  await bench.run(`alter domain ${domain} drop constraint ${domain}_check`)
  await bench.behind(`update ${table} set state = 'of-tomorrow' where id = ${id}`)
  await bench.run(
    `alter domain ${domain} add constraint ${domain}_check ${rule.replace(' NOT VALID', '')} not valid`,
  )
  return () => bench.behind(`update ${table} set state = '${state}' where id = ${id}`)
}
