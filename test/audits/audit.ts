import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { type AuditReport, auditReportSchema } from '../../src/api/index.ts'
import { type ForgeAnswers, writeForge } from './forge-answers.ts'

const holdfast = fileURLToPath(new URL('../../bin/holdfast', import.meta.url))

/** A run of the program as people start it, with nothing of ours around it. */
interface Ran {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

export type ApiFinding = AuditReport['findings'][number]

/** The program, with what the forge says in files. */
export interface Program {
  /** Audits the fleet; throws with the program's own words where there is no report. */
  audit(kubeconfig: string): Promise<Audited>
  auditFile(file: string): Promise<Audited>
  save(kubeconfig: string, file: string): Promise<Ran>
}

export type Audited = AuditReport & { readonly code: number | null }

export function programIn(home: string, forge: ForgeAnswers): Program {
  const audit = async (...args: readonly string[]): Promise<Audited> => {
    const { code, out, err } = await run(home, 'audit', '--json', ...args)
    if (out === '') throw new Error(`holdfast audit ended with ${code}: ${err}`)
    return { ...auditReportSchema.parse(JSON.parse(out)), code }
  }
  return {
    audit: async (kubeconfig) => audit('--kubeconfig', kubeconfig, ...(await writeForge(forge, home))),
    auditFile: (file) => audit('--snapshot', file),
    save: async (kubeconfig, file) =>
      run(home, 'snapshot', 'save', file, '--kubeconfig', kubeconfig, ...(await writeForge(forge, home))),
  }
}

async function run(home: string, ...args: readonly string[]): Promise<Ran> {
  const child = spawn(holdfast, args, {
    env: { PATH: process.env.PATH, HOME: home },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  return { code, out, err }
}
