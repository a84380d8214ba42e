export { explanationMarkdown } from './markdown.ts'
export { explanationText } from './text.ts'
