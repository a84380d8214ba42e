import type { Mood } from '../../api/index.ts'
import type { Colors } from '../context.ts'

/** The colour of a mood. */
export function paintMood(mood: Mood, colors: Colors): (text: string) => string {
  if (mood === 'good') return colors.green
  if (mood === 'bad') return colors.red
  if (mood === 'active') return colors.cyan
  return mood === 'waiting' ? colors.yellow : colors.dim
}
