/** Whether one path of a node is the other, or inside of it. */
export function isWithin(path: string, outer: string): boolean {
  return `${plain(path)}/`.startsWith(`${plain(outer)}/`)
}

/** Without repeated slashes and steps to where it is already; `/var/run` is `/run`. Steps up are refused by the API. */
function plain(path: string): string {
  const steps: string[] = []
  for (const step of path.split('/')) {
    if (step === '..') steps.pop()
    else if (step !== '' && step !== '.') steps.push(step)
  }
  return steps
    .map((step) => `/${step}`)
    .join('')
    .replace(/^\/var\/run(?=\/|$)/, '/run')
}
