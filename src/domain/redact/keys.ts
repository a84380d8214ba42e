/** How the name of a field ends when its value is a secret; compared without case and punctuation. */
const secretEndings = [
  'authorization',
  'cookie',
  'credential',
  'credentials',
  'databaseurl',
  'jit',
  'jitconfig',
  'passphrase',
  'passwd',
  'password',
  'secret',
  'secrets',
  'token',
  'accesskey',
  'apikey',
  'encryptionkey',
  'keyring',
  'privatekey',
  'secretkey',
  'signingkey',
] as const

const keyCharsMax = 128

/** Whether a field of this name holds a secret. `tokenFile` and `keyId` do not. */
export function isSecretKey(key: string): boolean {
  const plain = key
    .slice(-keyCharsMax)
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '')
  return plain === 'key' || secretEndings.some((ending) => plain.endsWith(ending))
}
