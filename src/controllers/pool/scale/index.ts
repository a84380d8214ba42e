export { type ScaleDeps, scaleLoop } from './controller.ts'
export { type Survey, type SurveyDeps, type Surveyed, survey } from './survey.ts'
