import { reasonOf } from '../domain/reason.ts'

/** A call to the outside as a value: its result, or why there is none. */
export async function attempted<T>(
  call: () => Promise<T>,
): Promise<{ readonly value: T } | { readonly failure: string }> {
  try {
    return { value: await call() }
  } catch (error) {
    return { failure: reasonOf(error) }
  }
}
