import { InvalidArgumentError } from 'commander'

/** Returns a parser of options that are whole numbers between two bounds. */
export function numberBetween(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN
    if (!(value >= min && value <= max)) {
      throw new InvalidArgumentError(`Expected a whole number from ${min} to ${max}.`)
    }
    return value
  }
}
