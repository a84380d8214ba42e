import { describe, expect, it } from 'vitest'
import { readGitlabConfig } from './read.ts'

const read = (text: string) => readGitlabConfig('config.toml', () => text)

describe("GitLab Runner's config.toml", () => {
  it('becomes one tree, with the line of every key', () => {
    const { root, mistake } = read(
      'concurrent = 4\n[[runners]]\n  name = "a"\n  [runners.kubernetes]\n    [runners.kubernetes.node_selector]\n      disk = "ssd"\n    memory_limit = "1Gi"\n[[runners]]\n  kubernetes.image = "x"\n',
    )
    expect(mistake).toBeNull()
    expect(root).toMatchObject({
      entries: [
        { key: 'concurrent', line: 1, value: { kind: 'integer', value: 4 } },
        {
          key: 'runners',
          line: 2,
          value: {
            kind: 'array',
            items: [
              {
                line: 2,
                entries: [
                  { key: 'name', line: 3 },
                  {
                    key: 'kubernetes',
                    line: 4,
                    value: {
                      entries: [
                        {
                          key: 'node_selector',
                          line: 5,
                          // By TOML's rules, whatever the indentation says.
                          value: {
                            entries: [
                              { key: 'disk', line: 6 },
                              { key: 'memory_limit', line: 7 },
                            ],
                          },
                        },
                      ],
                    },
                  },
                ],
              },
              { line: 8, entries: [{ key: 'kubernetes', line: 9, value: { entries: [{ key: 'image' }] } }] },
            ],
          },
        },
      ],
    })
  })

  it('keeps a table that a later header makes again inside of its own runner', () => {
    const { root } = read(
      '[[runners]]\n[runners.kubernetes]\n[[runners]]\n[runners.kubernetes]\nimage = "x"\n',
    )
    expect(root).toMatchObject({
      entries: [
        { value: { items: [{ entries: [{ value: { entries: [] } }] }, { entries: [{ line: 4 }] }] } },
      ],
    })
  })

  it.each([
    ['a value without quotes', 'a = 1\nb = hunter2\n', 2],
    ['a key twice', 'a = 1\na = 2\n', 2],
    ['a header twice', '[a]\n[b]\n[a]\n', 3],
    ['a string that does not end', 'a = "glrt-hunter2\nb = 1\n', 1],
    ['brackets without end', `a = ${'['.repeat(5_000)}`, 1],
  ])('with %s has a mistake at its line, and quotes nothing of it', (_, text, line) => {
    const { root, mistake } = read(text)
    expect(root).toBeNull()
    expect(mistake?.line).toBe(line)
    expect(mistake?.what).not.toContain('hunter2')
  })

  it('that is not there, may not be read or is huge is refused, with its name and what to do', () => {
    const refused = { code: 'E_GITLAB_CONFIG_UNREADABLE' }
    const readWith = (readFile: () => string | undefined) => () => readGitlabConfig('gone.toml', readFile)
    expect(readWith(() => undefined)).toThrow(expect.objectContaining(refused))
    expect(readWith(() => undefined)).toThrow('gone.toml')
    expect(readWith(() => '#'.repeat(300_000))).toThrow('at most')
    const denied = () => {
      throw new Error('EACCES: permission denied')
    }
    expect(readWith(denied)).toThrow(expect.objectContaining(refused))
  })
})
