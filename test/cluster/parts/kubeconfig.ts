import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { stringify } from 'yaml'
import type { Place } from '../place.ts'

/** Writes a kubeconfig for the holder of a certificate; it carries everything inside and may be copied. */
export async function writeKubeconfig(
  place: Place,
  holder: string,
  server: string,
  to: string,
): Promise<void> {
  const [authority, certificate, key] = await Promise.all(
    ['ca.crt', `${holder}.crt`, `${holder}.key`].map((file) =>
      readFile(path.join(place.certificates, file), 'base64'),
    ),
  )
  const context = `holdfast-${place.name}`
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: context, cluster: { server, 'certificate-authority-data': authority } }],
    users: [{ name: holder, user: { 'client-certificate-data': certificate, 'client-key-data': key } }],
    contexts: [{ name: context, context: { cluster: context, user: holder } }],
    'current-context': context,
  }
  await writeFile(to, stringify(config, { lineWidth: 0 }), { mode: 0o600 })
}
