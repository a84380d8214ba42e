import { Option } from 'commander'
import { usage } from '../usage.ts'

const namePattern = /^[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?$/

/** The place of a scale set, from `namespace/name`. */
export function placeOf(text: string): { readonly namespace: string; readonly name: string } {
  const [namespace = '', name = '', ...rest] = text.split('/')
  if (rest.length > 0 || !namePattern.test(namespace) || !namePattern.test(name))
    throw usage(`--scale-set: expected namespace/name, such as arc-runners/linux; got ${text}`)
  return { namespace, name }
}

/** The name of a namespace. */
export function nameOf(text: string): string {
  if (!namePattern.test(text)) throw usage(`expected the name of a namespace; got ${text}`)
  return text
}

/** The name of a Secret. */
export function secretNameOf(text: string): string {
  if (!namePattern.test(text))
    throw usage(`expected the name of a Secret, without its namespace; got ${text}`)
  return text
}

/** An option that may be given several times. */
export function repeated(flags: string, description: string): Option {
  return new Option(flags, `${description}; may be repeated`).argParser(
    (value: string, before: readonly string[] = []) => [...before, value],
  )
}
