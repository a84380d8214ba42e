export { errorBody } from './http.ts'
export { errorText, exitCodeOf } from './terminal.ts'
