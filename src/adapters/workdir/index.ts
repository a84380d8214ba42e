export { createHostActs } from './acts.ts'
export { createLocalHosts } from './local.ts'
export { createSshHosts } from './ssh.ts'
