const defaultRegistry = 'docker.io'

/** The registry of an image's name, as pull secrets name it. */
export function registryOf(image: string): string {
  const [first = '', ...rest] = image.split('/')
  const isHost = rest.length > 0 && (first.includes('.') || first.includes(':') || first === 'localhost')
  return isHost ? first : defaultRegistry
}
