import { durationText } from '../../domain/format.ts'

/** How long ago a time of the API was when `now` was read. */
export function ageText(time: string, now: string): string {
  return durationText(Date.parse(now) - Date.parse(time))
}

export { durationText }
