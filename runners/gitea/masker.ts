const command = /^\s*::add-mask::(.*)$/
const hiddenText = '***'
/** A job cannot fill our memory with things to hide. */
const masksMax = 1_000

export interface Masker {
  /** A line as it may be shown. A line `::add-mask::x` hides x from here on, and itself. */
  mask(line: string): string
}

/** Hides secrets in a job's output; one of several lines is hidden line by line. */
export function createMasker(secrets: Iterable<string>): Masker {
  const hidden = new Set<string>()
  let longestFirst: string[] = []
  const hide = (text: string): void => {
    for (const line of text.split(/\r?\n/).map((each) => each.trim())) {
      if (line !== '' && hidden.size < masksMax) hidden.add(line)
    }
    longestFirst = [...hidden].sort((a, b) => b.length - a.length)
  }
  for (const secret of secrets) hide(secret)
  return {
    mask(line) {
      const added = command.exec(line)?.[1]
      if (added !== undefined) {
        hide(lineEndsOf(added))
        return `::add-mask::${hiddenText}`
      }
      return longestFirst.reduce((text, secret) => text.replaceAll(secret, hiddenText), line)
    },
  }
}

/** As workflow commands write line ends. */
function lineEndsOf(text: string): string {
  return text.replaceAll('%0D', '\r').replaceAll('%0A', '\n').replaceAll('%25', '%')
}
