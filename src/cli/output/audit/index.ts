export { changeLines } from './changes.ts'
export { auditPage, findingLines, unjudgedLines } from './page.ts'
