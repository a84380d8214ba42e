export { gotText, type Problem, problemText } from './problem.ts'
export { bare, type Path, schemaAt, valueAt } from './schema-walk.ts'
export { type About, abouts, secret, setting } from './setting.ts'
export { typeText } from './type-text.ts'
