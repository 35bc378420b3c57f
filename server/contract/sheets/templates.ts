/**
 * Column mappings: the column roles of one kind of wage sheet and the layout of its payslips. Saved from every wage
 * sheet; a template is one with a name. calls.md §5.
 */
import * as z from 'zod/mini'
import { requirePower } from '../access.ts'
import { defineChange, defineRead } from '../call.ts'
import { emptyObject, id, month, optionalText, pageParams, paginatedList, requiredText, time } from '../shared/schemas.ts'

const payroll = requirePower('2')
const template = z.object({ template_id: id })

export const insertTemplate = defineChange('POST /api/wage/insertTemplate', payroll, {
  summary: 'Saves the column mapping of a batch as a named template. A template with the same header is renamed and updated.',
  requiredFeature: 'templates',
  input: z.object({ batch_id: id, name: requiredText(40, '请填写模板名称') }),
  output: template,
  errors: ['not_found'],
})

export const updateTemplate = defineChange('POST /api/wage/updateTemplate', payroll, {
  summary: 'Renames a template, or updates it from the column mapping of a batch.',
  idempotent: false,
  input: z.object({ template_id: id, name: z.optional(requiredText(40, '请填写模板名称')), batch_id: z.optional(id) }),
  output: emptyObject,
  errors: ['not_found'],
})

export const clearTemplate = defineChange('POST /api/wage/clearTemplate', payroll, {
  summary: 'Deletes a template. Batches made with it stay unchanged.',
  input: template,
  output: emptyObject,
  errors: ['not_found'],
})

export const getTemplateList = defineRead('POST /api/wage/getTemplateList', payroll, {
  summary: "Lists the caller's templates and unnamed column mappings, last used first; for power 4 those of all users.",
  input: z.object({ name: z.optional(optionalText(40)), ...pageParams }),
  output: paginatedList(
    z.extend(template, {
      /** The value is null for a mapping that was saved automatically and not named. */
      name: z.nullable(z.string()),
      /** The first labels, in the order of the wage sheet. */
      labels: z.array(z.string()),
      column_count: z.int(),
      used_at: time,
      /** The pay run in which it was last used. */
      title: z.nullable(z.string()),
      month: z.nullable(month),
    }),
  ),
})
