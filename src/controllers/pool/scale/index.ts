export { scaleLoop } from './controller.ts'
export { type SurveyDeps, type Surveyed, survey } from './survey.ts'
