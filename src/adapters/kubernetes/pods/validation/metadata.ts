import { mapOf } from '../json.ts'
import { busyAnnotations, labels, prefix } from '../names.ts'
import type { Problem } from '../problem.ts'
import type { Check } from './check.ts'

const allowed = ['labels', 'annotations']
const ours = [labels.managedBy as string, ...Object.keys(busyAnnotations)]

/** Labels and annotations of others are welcome; who a pod is and whether it may go is ours. */
export const checkMetadata: Check = ({ template: { metadata } }) => [
  ...Object.entries(metadata)
    .filter(([field]) => !allowed.includes(field))
    .map(([field, got]) => ({
      at: `metadata.${field}`,
      expected: 'only labels and annotations',
      got,
      todo: 'Remove it: names, owners and finalizers of runners are given by Holdfast, so that nothing else removes one.',
    })),
  ...allowed.flatMap((field) => foreign(`metadata.${field}`, mapOf(metadata[field]))),
]

function foreign(at: string, given: Readonly<Record<string, unknown>>): Problem[] {
  return Object.entries(given)
    .filter(([name]) => name.startsWith(prefix) || name === '$patch' || ours.includes(name))
    .map(([name, got]) => ({
      at: `${at}["${name}"]`,
      expected: `no ${name}`,
      got,
      todo: 'Remove it: Holdfast sets and reads it.',
    }))
}
