/** The latest operations, to be read when an invariant is found broken. */
export interface History {
  begin(what: string): { end(outcome: string): void }
  /** The last lines about the subjects that a text names (`job 3`, `runner 7`, a handle); else simply the last. */
  about(text: string): string[]
}

const linesMax = 20_000
const shownMax = 60

export function createHistory(): History {
  const lines: string[] = []
  let count = 0
  const note = (line: string) => {
    lines.push(line)
    if (lines.length > linesMax) lines.splice(0, linesMax / 2)
  }
  return {
    begin(what) {
      count += 1
      const number = count
      return { end: (outcome) => note(`#${number} (done at #${count}) ${what}: ${outcome}`) }
    },
    about(text) {
      const subjects = text.match(/(job|runner|attempt) \d+|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g) ?? []
      const isAbout = (line: string) => subjects.some((subject) => new RegExp(`${subject}\\b`).test(line))
      const found = lines.filter(isAbout)
      return (found.length > 0 ? found : lines).slice(-shownMax)
    },
  }
}
