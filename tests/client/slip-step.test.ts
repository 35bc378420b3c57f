/** The wizard step at which a batch of the list continues. */
import { describe, expect, it } from 'vitest'
import { getWizardPath } from '../../src/features/payslips/list/wizard-path.ts'

type Batch = Parameters<typeof getWizardPath>[0]
type Left = Parameters<typeof getWizardPath>[1]
const batch = (status: string, title_id: string | null = 't'): Batch => ({ batch_id: 'mine', status, title_id })
const left = (step: NonNullable<Left>['step'], batch_id = 'mine'): Left => ({ step, batch_id })

describe('wizard step at which a batch continues', () => {
  it.each<[string, Batch, Left, string]>([
    ['the last step', batch('draft'), left('wageSend2'), '/wageSend2'],
    ['the last step, although the batch is checked', batch('checked'), left('check'), '/check'],
    ['the last step, back at the file', batch('checked'), left('wageSend1'), '/wageSend1'],
    ['the step of the batch when another batch has the last step', batch('draft'), left('wageSend3', 'another'), '/check'],
    [
      'the step of a checked batch when another batch has the last step',
      batch('checked'),
      left('wageSend1', 'another'),
      '/wageSend2',
    ],
    ['a checked batch without a last step', batch('checked'), null, '/wageSend2'],
    ['a titled batch without a last step or a check', batch('draft'), null, '/check'],
    ['a batch without a last step or title', batch('draft', null), null, '/wageSend1'],
    ['a checked batch before a titled one', batch('checked', null), null, '/wageSend2'],
  ])('%s', (_, one, wizard, step) => expect(getWizardPath(one, wizard)).toBe(step))
})
