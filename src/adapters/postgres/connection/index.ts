export { type Database, openDatabase } from './database.ts'
export { constraintOf, isLostRace, sqlStateOf } from './errors.ts'
export { openListener } from './listener.ts'
export { openSession } from './session.ts'

export { type Db, instant, prepared, type Sql, sql } from './sql.ts'
export { describeTarget, type Tls, targetOf } from './target.ts'
