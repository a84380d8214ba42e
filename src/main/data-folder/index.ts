export { readAgentToken, readHostId, readOperatorToken, readSnapshotKey } from './generated-secrets.ts'
export { lockDataFolder } from './lock.ts'
