import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface Certificate {
  readonly cert: string
  readonly key: string
}

/** For tests: an authority, with a server at 127.0.0.1 and a client of this name under it. */
export function makeCertificates(clientName: string) {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-certificates-'))
  const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' })
  const read = (name: string): Certificate => ({
    cert: readFileSync(join(folder, `${name}.crt`), 'utf8'),
    key: readFileSync(join(folder, `${name}.key`), 'utf8'),
  })
  const fresh = (name: string) => [
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:P-256',
    '-nodes',
    '-keyout',
    `${name}.key`,
  ]
  const sign = (name: string, subject: string, extensions: string) => {
    writeFileSync(join(folder, `${name}.ext`), extensions)
    openssl('req', ...fresh(name), '-out', `${name}.csr`, '-subj', subject)
    const authority = ['-CA', 'ca.crt', '-CAkey', 'ca.key', '-CAcreateserial', '-days', '2']
    openssl(
      'x509',
      '-req',
      '-in',
      `${name}.csr`,
      ...authority,
      '-extfile',
      `${name}.ext`,
      '-out',
      `${name}.crt`,
    )
    return read(name)
  }
  try {
    openssl('req', '-x509', ...fresh('ca'), '-out', 'ca.crt', '-subj', '/CN=test authority', '-days', '2')
    const server = sign('server', '/CN=api', 'subjectAltName=IP:127.0.0.1')
    const client = sign('client', `/O=holdfast/CN=${clientName}`, 'extendedKeyUsage=clientAuth')
    return { ca: read('ca').cert, server, client }
  } finally {
    rmSync(folder, { recursive: true })
  }
}
