/** Where a thread stands after an administrator has done something to it. */
import type { FeedbackStatus } from '../../../contract/feedback.ts'

/** What was answered no longer waits; a further word does not open what is done. */
export function afterAct(before: FeedbackStatus, action: 'reply' | 'resolve' | 'reopen', content: string): FeedbackStatus {
  if (action === 'resolve') return 'resolved'
  if (action === 'reopen') return content === '' ? 'open' : 'answered'
  return before === 'resolved' ? 'resolved' : 'answered'
}
