import type { ProbeKind } from '../../../../domain/remedy/index.ts'
import { type Fields, list, text } from '../../client/index.ts'

interface Mounts {
  readonly volumes: readonly object[]
  readonly volumeMounts: readonly object[]
  /** Where the lane mounts something that the probe does not: a file there is not known to be missing. */
  readonly unmounted: readonly string[]
}

const trust = ['SSL_CERT_FILE', 'NIX_SSL_CERT_FILE', 'NODE_EXTRA_CA_CERTS']

/** Certificates come with ConfigMaps, or with the Secret that a variable's path points into; no other volume is mounted. */
export function mountsOf(spec: Fields, runner: Fields, kind: ProbeKind): Mounts {
  if (kind === 'image-pull') return { volumes: [], volumeMounts: [], unmounted: [] }
  const volumes = list(spec.volumes)
  const mounts = list(runner.volumeMounts)
  const taken = mounts.filter((mount) => {
    const volume = volumes.find(({ name }) => name === mount.name)
    if (volume?.configMap !== undefined) return true
    return volume?.secret !== undefined && pathsOf(runner).some((path) => isUnder(path, mount))
  })
  return {
    volumes: volumes.filter(({ name }) => taken.some((mount) => mount.name === name)),
    volumeMounts: taken.map((mount) => ({ ...mount, readOnly: true })),
    unmounted: mounts
      .filter((mount) => !taken.includes(mount))
      .flatMap(({ mountPath }) => text(mountPath) ?? []),
  }
}

function pathsOf(runner: Fields): readonly string[] {
  return list(runner.env).flatMap(({ name, value }) =>
    trust.includes(text(name) ?? '') ? (text(value) ?? []) : [],
  )
}

function isUnder(path: string, { mountPath }: Fields): boolean {
  const root = text(mountPath) ?? ''
  return root !== '' && (path === root || path.startsWith(`${root.replace(/\/$/, '')}/`))
}
