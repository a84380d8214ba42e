import type { Reading } from '../../capacity/index.ts'
import { bytes } from '../../format.ts'

export function amountText(unit: Reading['unit'], amount: number): string {
  const sign = amount < 0 ? '-' : ''
  const size = Math.abs(Math.round(amount))
  return unit === 'bytes' ? `${sign}${bytes(size)}` : `${sign}${size} inodes`
}

/** A reading in words, with the threshold of the kubelet. */
export function readingText({ filesystem, unit, available, capacity, threshold }: Reading): string {
  const left = `${filesystem}: ${amountText(unit, available)} of ${amountText(unit, capacity)} left`
  return threshold === null
    ? `${left}; where the kubelet evicts is not known`
    : `${left}; the kubelet evicts below ${amountText(unit, threshold)}`
}
