import type { Audit } from '../audit.ts'
import { hpaAtMax, pendingClasses } from './classes.ts'
import { judgePending } from './judge.ts'

export const pending: Audit = {
  name: 'pending',
  title: 'Pods that wait, by cause',
  classes: [...pendingClasses, hpaAtMax],
  judge: judgePending,
}
