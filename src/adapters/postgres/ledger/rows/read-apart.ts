import { isOfRow } from './row.ts'

/**
 * Reads rows so that one that cannot be read hides no other. The driver refuses a value together with all that came
 * with it: then what was asked for is halved until the row stands alone. Rows that went meanwhile are not given.
 */
export async function readApart<Key extends { readonly id: number }, Value>(
  keys: readonly Key[],
  read: (ids: readonly number[]) => Promise<readonly Value[]>,
): Promise<{ readonly read: Value[]; readonly refused: { readonly key: Key; readonly error: unknown }[] }> {
  const [first, second] = keys
  if (first === undefined) return { read: [], refused: [] }
  try {
    return { read: [...(await read(keys.map(({ id }) => id)))], refused: [] }
  } catch (error) {
    if (!isOfRow(error)) throw error
    if (second === undefined) return { read: [], refused: [{ key: first, error }] }
    const middle = Math.ceil(keys.length / 2)
    const [early, late] = [
      await readApart(keys.slice(0, middle), read),
      await readApart(keys.slice(middle), read),
    ]
    return { read: [...early.read, ...late.read], refused: [...early.refused, ...late.refused] }
  }
}
