import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { Case } from '../bench.ts'
import { holdfast } from '../holdfast.ts'
import { type Json, namespace } from '../stage/stage.ts'

export const limitCases: Readonly<Record<string, Case>> = {
  async 'limits in a table that nobody reads: run says nothing, the pod has the LimitRange’s, and the audit says both'(
    bench,
  ) {
    const { stage, folder, auditor, jobs } = bench
    const pod = await jobs.nested.pod
    const build = pod.spec.containers.find(({ name }: Json) => name === 'build')
    assert.equal(build.resources.limits.memory, '128Mi')
    const { items } = (
      await stage.cluster.api.request(
        'GET',
        `/api/v1/namespaces/${namespace}/pods?labelSelector=app%3Dgitlab-runner`,
      )
    ).body
    const log = `/api/v1/namespaces/${namespace}/pods/${items[0].metadata.name}/log`
    assert.doesNotMatch((await stage.cluster.api.request('GET', log)).text, /unknown key|resources/)
    const file = path.join(folder, 'config.toml')
    await writeFile(file, stage.config)
    const { code, out, err } = await holdfast(folder, [
      'audit',
      'gitlab-toml',
      ...['--file', file, '--kubeconfig', auditor, '--json'],
    ])
    assert.equal(code, 1, out + err)
    const { findings, tables } = JSON.parse(out)
    assert.deepEqual([...new Set(findings.map((each: Json) => each.class))], ['nested-resource-keys'])
    assert.match(JSON.stringify(findings), /build has a memory limit of 128Mi/)
    const rows = tables.flatMap((table: Json) => table.rows)
    assert.deepEqual(
      rows.find(([runner, key]: Json) => runner === 'shared' && key === 'memory_limit'),
      ['shared', 'memory_limit', '96Mi', '96Mi'],
    )
  },
}
