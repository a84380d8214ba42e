import { nixStoreShadowed, overwriteUnbounded, servicesCollide } from '../classes.ts'
import { entryOf, type TomlTable, tableIn, tablesIn, textIn, wordsIn } from '../document.ts'
import type { Problem } from '../problem.ts'
import type { TomlRunner } from '../runners.ts'

/** Patterns that bound nothing, without anchors and brackets. */
const anything = new Set(['', '.', '.*', '.+', '\\w*', '\\w+', '\\S*', '\\S+', '[a-z0-9-]*', '[a-z0-9-]+'])
const overwrites = ['namespace_overwrite_allowed', 'service_account_overwrite_allowed'] as const
const dockerDaemon = /(?:^|\/)docker:(?:[\w.-]*-)?dind(?:-[\w.-]+)?(?:@|$)|(?:^|\/)dind(?:[:@]|$)/
const nixStore = /^\/nix(?:\/store)?\/?$/

/** Settings that load and work, and break jobs or their bounds. */
export function hazards({ kubernetes }: TomlRunner): readonly Problem[] {
  if (kubernetes === null) return []
  return [...unboundedOverwrites(kubernetes), ...collidingDaemons(kubernetes), ...shadowedStore(kubernetes)]
}

function unboundedOverwrites(kubernetes: TomlTable): readonly Problem[] {
  return overwrites.flatMap((key) => {
    const pattern = wordsIn(kubernetes, key)
    const entry = entryOf(kubernetes, key)
    if (pattern === null || entry === null || !fitsAnything(pattern)) return []
    return [
      {
        class: overwriteUnbounded,
        severity: 'warning' as const,
        line: entry.line,
        path: `runners.kubernetes.${key}`,
        summary: `${key} fits every name: a job may choose any ${key.startsWith('namespace') ? 'namespace' : 'service account'}, also kube-system's.`,
        fix: 'Write a pattern with ^ and $ that fits only the names that jobs may have.',
      },
    ]
  })
}

/** By the plain forms of it: a pattern of the file is not run here. */
function fitsAnything(pattern: string): boolean {
  const bare = pattern.replace(/^\^/, '').replace(/\$$/, '')
  return anything.has(bare.replace(/^\((?:\?:)?(.*)\)$/, '$1'))
}

function collidingDaemons(kubernetes: TomlTable): readonly Problem[] {
  const daemons = tablesIn(kubernetes, 'services').filter((service) =>
    dockerDaemon.test(textIn(service, 'name') ?? ''),
  )
  const [first, second] = daemons
  if (first === undefined || second === undefined) return []
  // A command of its own may give a daemon another port.
  const isPlain = [first, second].every((service) => entryOf(service, 'command') === null)
  return [
    {
      class: servicesCollide,
      severity: 'warning',
      line: second.line,
      path: 'runners.kubernetes.services',
      confidence: isPlain ? 'proven' : 'likely',
      summary: `Two services are Docker daemons (lines ${first.line} and ${second.line}): containers of one pod share its ports, and only one gets 2375.`,
      fix: 'Leave one of them.',
    },
  ]
}

function shadowedStore(kubernetes: TomlTable): readonly Problem[] {
  const volumes = tableIn(kubernetes, 'volumes')
  if (volumes === null) return []
  return tablesIn(volumes, 'empty_dir').flatMap((volume) => {
    const entry = entryOf(volume, 'mount_path')
    if (entry === null || !nixStore.test(textIn(volume, 'mount_path') ?? '')) return []
    return [
      {
        class: nixStoreShadowed,
        severity: 'warning' as const,
        line: entry.line,
        path: 'runners.kubernetes.volumes.empty_dir.mount_path',
        summary: `An empty volume is mounted at ${textIn(volume, 'mount_path')}: it hides every program of a Nix image.`,
        fix: 'Mount it elsewhere, or fill it from the image first.',
      },
    ]
  })
}
