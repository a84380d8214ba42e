/** What a terminal obeys, as programs write it: colours, cursor moves, titles, links. */
const CONTROL_SEQUENCES =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  /\u001b\[[0-?]{0,64}[ -/]{0,8}[@-~]?|\u001b[\]PX^_][^\u0007\u001b\u009c]{0,4096}(?:\u0007|\u001b\\|\u009c)?|\u009b[0-?]{0,64}[ -/]{0,8}[@-~]?|\u001b./gu
const CONTROLS = /[^\P{Cc}\n\r\t]/gu

/** Text without terminal escapes and control characters: a colour in the middle of a token would hide it from every pattern. */
export function withoutEscapes(text: string): string {
  if (text.search(CONTROLS) === -1) return text
  return text.replaceAll(CONTROL_SEQUENCES, '').replaceAll(CONTROLS, '')
}
