/** Feedback about payslips, on the administrator's side. calls.md §5. */
import * as z from 'zod/mini'
import { requirePower } from '../access.ts'
import { defineChange, defineRead, defineView } from '../call.ts'
import { emptyObject, id, month, optionalText, pageParams, paginatedList, requiredText, time } from '../shared/schemas.ts'
import { slipKey } from './payslip.ts'

/** `answered`: the company wrote last, and no answer is due. */
export const feedbackStatus = z.enum(['open', 'answered', 'resolved'])
export type FeedbackStatus = z.infer<typeof feedbackStatus>

/** Maximum number of pictures in one message, and in one thread. */
export const maxPicturesPerMessage = 3
export const maxPicturesPerThread = 12
/** Maximum number of threads answered at once. */
export const maxBulkAnswers = 100
/** Ids of files uploaded before (`Upload` with `for: question`). */
export const pictures = z._default(
  z.array(id).check(z.maxLength(maxPicturesPerMessage, `一次最多 ${maxPicturesPerMessage} 张图片`)),
  [],
)

export const feedbackMessage = z.object({
  id,
  at: time,
  from: z.enum(['employee', 'admin']),
  name: z.string(),
  content: z.string(),
  /** Ids for `getFeedbackPicture`. */
  pictures: z.array(id),
})
/** The line of the payslip in question, as the employee saw it; null: the payslip as a whole. */
export const feedbackSubject = z.nullable(z.object({ key: slipKey, label: z.string() }))
/** A picture as a data: URL. */
export const pictureOutput = z.object({ picture: z.string() })

const feedbackItem = z.object({
  id,
  salary_id: id,
  batch_id: id,
  title: z.string(),
  month: z.nullable(month),
  name: z.string(),
  status: feedbackStatus,
  about: feedbackSubject,
  /** Who answers: the assigned administrator, otherwise the owner of the batch. */
  owner: z.object({ user_id: id, name: z.string() }),
  assigned_to_me: z.boolean(),
  /** When the answer is due; null where none is due, or the company sets no time limit. */
  due_at: z.nullable(time),
  is_overdue: z.boolean(),
  last_message: z.string(),
  updated_at: time,
})
export const getFeedBackList = defineView('POST /api/wage/getFeedBackList', requirePower('2'), {
  summary: 'Lists the feedback threads: overdue first, then by newest message.',
  /**
   * `line`: this column of the batch (with `batch_id`), '' for whole payslips. `assigned_to_me`: to be answered by the
   * current user. `overdue_only`: not answered in time.
   */
  input: z.object({
    status: z.optional(feedbackStatus),
    batch_id: z.optional(id),
    line: z.optional(z.union([slipKey, z.literal('')])),
    assigned_to_me: z.optional(z.boolean()),
    overdue_only: z.optional(z.boolean()),
    name: z.optional(optionalText(50)),
    ...pageParams,
  }),
  output: paginatedList(feedbackItem),
  errors: ['not_found'],
})
export const getFeedBackDetail = defineView('POST /api/wage/getFeedBackDetail', requirePower('2'), {
  summary: 'Returns one feedback thread.',
  input: z.object({ id }),
  /** `similar_count`: other open threads about the same line of the batch. `can_answer`: the user may also answer. */
  output: z.extend(feedbackItem, { messages: z.array(feedbackMessage), similar_count: z.int(), can_answer: z.boolean() }),
  errors: ['not_found'],
})
export const handleFeedback = defineChange('POST /api/wage/handleFeedback', requirePower('2'), {
  summary: 'Replies to a thread, resolves it or reopens it.',
  input: z.object({
    id,
    action: z.enum(['reply', 'resolve', 'reopen']),
    content: z._default(optionalText(500), ''),
    pictures,
  }),
  output: emptyObject,
  errors: ['not_found', 'wrong_state'],
})

const feedbackIds = z
  .array(id)
  .check(z.minLength(1, '请选择要处理的反馈'), z.maxLength(maxBulkAnswers, `一次最多 ${maxBulkAnswers} 条`))
export const answerFeedback = defineChange('POST /api/wage/answerFeedback', requirePower('2'), {
  summary:
    'Sends one reply to several employees who asked the same, all or none. Each gets it in their own thread and sees no one else.',
  rateLimit: 'costly',
  input: z.object({ ids: feedbackIds, content: requiredText(500, '请填写回复内容'), resolve: z._default(z.boolean(), false) }),
  output: z.object({ answered: z.int() }),
  errors: ['not_found'],
})
export const getFeedbackOwners = defineRead('POST /api/wage/getFeedbackOwners', requirePower('2'), {
  summary:
    'Lists the administrators who can answer a thread: those who may change its batch and are allowed to pay everyone in it, its owner, and the caller.',
  input: z.object({ id }),
  output: z.object({ list: z.array(z.object({ user_id: id, name: z.string() })) }),
  errors: ['not_found'],
})
export const setFeedbackOwner = defineChange('POST /api/wage/setFeedbackOwner', requirePower('2'), {
  summary: 'Assigns threads to one of `getFeedbackOwners`, who is notified.',
  idempotent: false,
  input: z.object({ ids: feedbackIds, user_id: id }),
  output: emptyObject,
  errors: ['not_found'],
})
export const getFeedbackPicture = defineView('POST /api/wage/getFeedbackPicture', requirePower('2'), {
  summary: 'Returns a picture of a feedback thread that the caller may view.',
  input: z.object({ id }),
  output: pictureOutput,
  errors: ['not_found'],
})
