/** Recipes: what the columns of one kind of sheet are for and how its slips look. Learned from every sheet; a template is one with a name. calls.md §5. */
import * as z from 'zod/mini'
import { call } from '../call.ts'
import { holders } from '../who.ts'
import { id, listOf, month, nothing, pageInput, time, words, wordsOrNone } from '../words/words.ts'

const payroll = holders('2')
const template = z.object({ template_id: id })

export const insertTemplate = call('POST /api/wage/insertTemplate', {
  does: 'Give the column setup of a batch a name; a template of the same header is renamed and brought up to date',
  who: payroll,
  needs: 'templates',
  once: true,
  audit: 'change',
  input: z.object({ batch_id: id, name: words(40, '请填写模板名称') }),
  output: template,
  refuses: ['not_found'],
})

export const updateTemplate = call('POST /api/wage/updateTemplate', {
  does: 'Rename a template, or take over the column setup of a batch',
  who: payroll,
  once: false,
  audit: 'change',
  input: z.object({ template_id: id, name: z.optional(words(40, '请填写模板名称')), batch_id: z.optional(id) }),
  output: nothing,
  refuses: ['not_found'],
})

export const clearTemplate = call('POST /api/wage/clearTemplate', {
  does: 'Forget a template; batches made with it stay as they are',
  who: payroll,
  once: true,
  audit: 'change',
  input: template,
  output: nothing,
  refuses: ['not_found'],
})

export const getTemplateList = call('POST /api/wage/getTemplateList', {
  does: 'My templates and what was learned without a name, last used first; everybody’s for power 4',
  who: payroll,
  once: false,
  audit: 'none',
  input: z.object({ name: z.optional(wordsOrNone(40)), ...pageInput }),
  output: listOf(
    z.extend(template, {
      /** Null where it was learned and nobody has named it. */
      name: z.nullable(z.string()),
      /** The first labels, in the order of the sheet. */
      labels: z.array(z.string()),
      columns: z.int(),
      used_at: time,
      /** The pay run in which it was used last. */
      title: z.nullable(z.string()),
      month: z.nullable(month),
    }),
  ),
  refuses: [],
})
