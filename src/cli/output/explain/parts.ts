import { ageText, type Explanation } from '../../../api/index.ts'

/** The subjects of an explanation, without its title. */
export function detailsOf({ subject, job, runner, pod }: Explanation): [name: string, text: string][] {
  return [
    ...(job === null
      ? []
      : [
          [
            'job',
            `${subject.kind === 'pod' ? `${job.repository} · ${job.name}, ` : ''}${job.forge}, ${job.state}`,
          ] as [string, string],
        ]),
    ...(runner === null
      ? []
      : [
          [
            'runner',
            `${runner.name}, ${runner.pool === null ? '' : `pool ${runner.pool}, `}${runner.state}`,
          ] as [string, string],
        ]),
    ...(pod === null
      ? []
      : [
          [
            'pod',
            `${pod.namespace}/${pod.pod}${pod.node === null ? ', never placed' : ` on ${pod.node}`}`,
          ] as [string, string],
        ]),
  ]
}

/** The verdicts that there are: first why the job failed, then how its runner ended. */
export function verdictsOf({
  jobVerdict,
  verdict,
}: Explanation): readonly { readonly sentence: string; readonly because: readonly string[] }[] {
  return [jobVerdict, verdict].filter((each) => each !== null)
}

/** The source of a fact, and its age. */
export function evidenceNote({ source, at }: Explanation['evidence'][number], now: string): string {
  return `(${source}, ${at === null ? 'when is not known' : `${ageText(at, now)} ago`})`
}

/** How the sealed verdict differs from the current one; null where it does not. */
export function sealedText({ sealed, isChanged, at }: Explanation): string | null {
  if (sealed === null || !isChanged) return null
  const age = ageText(sealed.at, at)
  return `Sealed ${age} ago as: ${sealed.sentence}. What is known by now says otherwise.`
}

/** The text with a capital letter and a full stop. */
export function sentence(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`
}
