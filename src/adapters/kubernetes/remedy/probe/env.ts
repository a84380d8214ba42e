import { type Fields, fields, list, text } from '../../client/index.ts'

const reference = /\$\(([A-Za-z_][\w.-]*)\)/g

/**
 * The wanted variables of a container, as references where they are references: of a whole source (`envFrom`) only the keys of
 * their names. Variables that a value is made of come along.
 */
export function envOf(container: Fields, wanted: readonly string[]): readonly object[] {
  const own = list(container.env)
  const names = withParts(own, wanted)
  return [
    ...list(container.envFrom).flatMap((source) => fromSource(source, wanted)),
    ...own.filter(({ name }) => names.has(text(name) ?? '')),
  ]
}

/** Later ones win in a container, as `env` wins over `envFrom`: the order is kept. */
function fromSource(source: Fields, wanted: readonly string[]): readonly object[] {
  const prefix = text(source.prefix) ?? ''
  const [kind, ref] =
    source.secretRef === undefined
      ? (['configMapKeyRef', fields(source.configMapRef)] as const)
      : (['secretKeyRef', fields(source.secretRef)] as const)
  return wanted
    .filter((name) => name.startsWith(prefix) && name.length > prefix.length)
    .map((name) => ({
      name,
      valueFrom: { [kind]: { name: ref.name, key: name.slice(prefix.length), optional: true } },
    }))
}

function withParts(own: readonly Fields[], wanted: readonly string[]): ReadonlySet<string> {
  const names = new Set(wanted)
  for (const each of [...own].reverse()) {
    if (!names.has(text(each.name) ?? '')) continue
    for (const [, part = ''] of (text(each.value) ?? '').matchAll(reference)) names.add(part)
  }
  return names
}
