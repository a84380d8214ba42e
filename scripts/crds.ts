import { stringify } from 'yaml'
import { runnerPoolDefinition } from '../src/api/pool/index.ts'

const note = '# Generated from src/api/pool by `npm run crds`; edit the code, not this file.\n'

/** Every CustomResourceDefinition; a test holds each equal to what stands in the repository. */
export const definitionFiles = [
  {
    path: 'deploy/crds/holdfast.dev_runnerpools.yaml',
    render: () => note + stringify(runnerPoolDefinition(), { lineWidth: 0, aliasDuplicateObjects: false }),
  },
] as const
