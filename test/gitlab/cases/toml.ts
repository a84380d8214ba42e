import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { audits, runAudits } from '../../../src/domain/audit/index.ts'
import { snapshotOf } from '../../../src/domain/snapshot/testing/facts.ts'
import { readGitlabConfig } from '../../../src/gitlab-config/index.ts'
import type { Bench, Case } from '../bench.ts'
import { ended } from '../holdfast.ts'
import { agreed, beyond, type TomlFile, tomlText } from './toml-files.ts'

export const tomlCases: Readonly<Record<string, Case>> = {
  async 'config.toml: the audit agrees with the real lint about right and wrong files'(bench) {
    for (const file of agreed) {
      const { isRefused, classes } = await judged(file, bench)
      assert.equal(isRefused, classes.length > 0, `${file.name}: one of the two finds nothing`)
    }
  },

  async 'config.toml: the audit finds what the real lint calls valid'(bench) {
    for (const file of beyond) {
      const { isRefused, classes } = await judged(file, bench)
      assert.ok(!isRefused && classes.length > 0, `${file.name}: lint is as good as the audit`)
    }
  },
}

async function judged(
  file: TomlFile,
  { stage, folder }: Bench,
): Promise<{ readonly isRefused: boolean; readonly classes: readonly string[] }> {
  const place = path.join(folder, `${file.name.replaceAll(/\W+/g, '-')}.toml`)
  await writeFile(place, tomlText(file))
  const { code, err, out } = await ended(stage.binaries.manager, ['lint', '--config', place], {})
  if (file.lint === null) assert.equal(code, 0, `${file.name}: ${out}${err}`)
  else assert.match(`${out}${err}`, file.lint, file.name)
  const gitlabConfig = readGitlabConfig(place, (name) => readFileSync(name, 'utf8'))
  const { findings } = runAudits({
    audits: audits.filter(({ name }) => name === 'gitlab-toml'),
    snapshot: snapshotOf(),
    earlier: null,
    contract: null,
    gitlabConfig,
    narrowed: { labels: null, namespaces: null, nodes: null, runner: null },
  })
  const classes = [...new Set(findings.map((finding) => finding.class))]
  assert.deepEqual(classes, file.classes, file.name)
  return { isRefused: code !== 0, classes }
}
