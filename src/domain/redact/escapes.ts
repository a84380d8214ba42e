/** Terminal escape sequences: colours, cursor moves, titles, links. */
const controlSequences =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern matches them
  /\u001b\[[0-?]{0,64}[ -/]{0,8}[@-~]?|\u001b[\]PX^_][^\u0007\u001b\u009c]{0,4096}(?:\u0007|\u001b\\|\u009c)?|\u009b[0-?]{0,64}[ -/]{0,8}[@-~]?|\u001b./gu
const controls = /[^\P{Cc}\n\r\t]/gu

/** Text without terminal escapes and control characters: a colour in the middle of a token would hide it from every pattern. */
export function withoutEscapes(text: string): string {
  if (text.search(controls) === -1) return text
  return text.replaceAll(controlSequences, '').replaceAll(controls, '')
}
