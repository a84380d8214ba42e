import { readFileSync, writeFileSync } from 'node:fs'

/*
 * `npm run lock`, after a change of dependencies. A registry that does not carry the packages for other platforms
 * makes npm leave them out of the lock file, and `npm ci` then refuses it everywhere. This adds them by name and
 * version, with the platform that their name says; they are only ever installed on that platform.
 *
 * It also leaves out which Node each package wants: npm would hold that against the Node that runs it, and print a screen of
 * warnings on another one, although nothing of this ever runs there. The Node that does comes with the lock file, and a test
 * holds it to what every package wants (test/docs/lock.test.ts).
 */
interface Entry {
  version?: string
  optional?: boolean
  dev?: boolean
  os?: string[]
  cpu?: string[]
  libc?: string[]
  optionalDependencies?: Record<string, string>
  engines?: Record<string, string>
}

const systems = [
  'android',
  'darwin',
  'freebsd',
  'linux',
  'netbsd',
  'openbsd',
  'openharmony',
  'sunos',
  'win32',
] as const
const processors = [
  'arm64',
  'arm',
  'ia32',
  'loong64',
  'mips64el',
  'ppc64',
  'riscv64',
  's390x',
  'wasm32',
  'x64',
] as const

const file = new URL('../package-lock.json', import.meta.url)
const lock = JSON.parse(readFileSync(file, 'utf8')) as { packages: Record<string, Entry> }
const added: string[] = []
for (const [parent, entry] of Object.entries(lock.packages)) {
  delete entry.engines
  for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
    const place = `node_modules/${name}`
    if (lock.packages[place] !== undefined || !/^\d/.test(version)) continue
    lock.packages[place] = { version, ...(entry.dev && parent !== '' && { dev: true }), ...platformOf(name) }
    added.push(`${name}@${version}`)
  }
}
lock.packages = Object.fromEntries(Object.entries(lock.packages).toSorted(([a], [b]) => (a < b ? -1 : 1)))
writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`)
console.log(added.length === 0 ? 'The lock file is complete.' : `Added ${added.join(', ')}`)

function platformOf(name: string): Entry {
  const words = name.split(/[-/]/)
  const processor = processors.find((known) =>
    words.some((word) => word === known || word.startsWith(`${known}v`)),
  )
  const system = systems.find((known) => words.includes(known))
  const libc = words.includes('musl')
    ? 'musl'
    : words.some((word) => word.startsWith('gnu'))
      ? 'glibc'
      : undefined
  return {
    optional: true,
    ...(processor && { cpu: [processor] }),
    ...(libc && system === 'linux' && { libc: [libc] }),
    ...(system && { os: [system] }),
  }
}
