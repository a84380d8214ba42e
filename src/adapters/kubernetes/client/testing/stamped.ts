const stampPattern = '2026-11-16T03:00:00.123456789Z '

/** For tests: a container's output as a kubelet gives it, with a time before each line. */
export function stamped(text: string): string {
  return text.replaceAll(/^(?=[\s\S])/gm, stampPattern)
}
