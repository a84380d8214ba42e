import { bounds } from './bounds.ts'

/** Why not every entry was looked at. */
export const cutTexts = {
  time: `the entries could not all be read in ${bounds.readMaxMs / 1000} s`,
  size: 'there are more entries than are read',
  depth: `folders are nested deeper than ${bounds.depthMax}`,
  notable: `more than ${bounds.notableMax} entries are not in order`,
  top: `the work folder has more than ${bounds.topMax} entries`,
  unlisted: 'the account that looked may not list some directories',
  changed: 'entries changed or could not be read meanwhile',
} as const
