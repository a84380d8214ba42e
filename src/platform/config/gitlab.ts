import { z } from 'zod'
import { secret, setting } from '../../api/schema/index.ts'

/** GitLab, for remedies of GitLab Runner. */
export const gitlabSchema = z.strictObject({
  url: setting(
    'Address of GitLab, for remedies of GitLab Runner.',
    z.url({ protocol: /^https?$/, error: 'an http or https URL' }).default('https://gitlab.com'),
  ),
  token: secret(
    'Token of a GitLab user who may read the runner and its jobs (`read_api`), for remedies of GitLab Runner.',
    z.string().min(1).optional(),
  ),
})
