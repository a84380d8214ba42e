/** Work that may still be done. Counted in steps and not in time, so that the same facts give the same answer everywhere. */
export class Effort {
  #left: number

  constructor(steps: number) {
    this.#left = steps
  }

  spend(steps: number): void {
    this.#left -= steps
  }

  get isSpent(): boolean {
    return this.#left <= 0
  }
}
