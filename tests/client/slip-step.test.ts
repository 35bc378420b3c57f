/** The wizard step at which a batch of the list continues. */
import { describe, expect, it } from 'vitest'
import { getWizardPath } from '../../src/features/payslips/list/wizard-path.ts'

type Batch = Parameters<typeof getWizardPath>[0]
type Left = Parameters<typeof getWizardPath>[1]
const batch = (status: string, title_id: string | null = 't'): Batch => ({ batch_id: 'mine', status, title_id })
const left = (step: NonNullable<Left>['step'], batch_id = 'mine'): Left => ({ step, batch_id })

describe('wizard step at which a batch continues', () => {
  it.each<[string, Batch, Left, string]>([
    ['where one left it', batch('draft'), left('wageSend2'), '/wageSend2'],
    ['where one left it, though it is checked', batch('checked'), left('check'), '/check'],
    ['where one left it, back at the file', batch('checked'), left('wageSend1'), '/wageSend1'],
    ['another batch was left there: where this one belongs', batch('draft'), left('wageSend3', 'another'), '/check'],
    ['the same, of one that is checked', batch('checked'), left('wageSend1', 'another'), '/wageSend2'],
    ['none was left: checked', batch('checked'), null, '/wageSend2'],
    ['none was left: a title and no check', batch('draft'), null, '/check'],
    ['none was left: not even a title', batch('draft', null), null, '/wageSend1'],
    ['checked counts more than a title', batch('checked', null), null, '/wageSend2'],
  ])('%s', (_, one, wizard, step) => expect(getWizardPath(one, wizard)).toBe(step))
})
