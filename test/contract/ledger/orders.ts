import fc from 'fast-check'

/** Every order of some messages, some of them repeated; each arrives at least once. */
export function anyOrder<Message>(messages: readonly Message[]): fc.Arbitrary<Message[]> {
  const repeated = fc.record({ message: fc.constantFrom(...messages), place: fc.nat({ max: 100 }) })
  return fc
    .tuple(
      fc.shuffledSubarray([...messages], { minLength: messages.length }),
      fc.array(repeated, { maxLength: 4 }),
    )
    .map(([order, extra]) => {
      const all = [...order]
      for (const { message, place } of extra) all.splice(place % (all.length + 1), 0, message)
      return all
    })
}
