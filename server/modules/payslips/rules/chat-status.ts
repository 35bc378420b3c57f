/** Updates of a chat card after its payslip was viewed, confirmed or withdrawn. Pure. */

/** The platform's response to updating a card. */
type ChatUpdateResult = 'updated' | 'too_late' | 'gone' | 'unsupported' | 'refused' | 'unclear'
export const chatStatusLabels = { viewed: '已查看', confirmed: '已确认', withdrawn: '已撤回' } as const
export type ChatStatus = keyof typeof chatStatusLabels
/** Why a card does not show the latest status. */
export type ChatUpdateFailure = Exclude<ChatUpdateResult, 'updated' | 'gone'> | 'unbound'
export type DisplayedChatStatus = ChatStatus | 'recalled' | 'gone'

export type ChatUpdateStep =
  | { readonly step: 'amend' }
  | { readonly step: 'recall' }
  | { readonly step: 'again'; readonly delayMs: number }
  | { readonly step: 'done'; readonly displayedStatus: DisplayedChatStatus | null; readonly failure: ChatUpdateFailure | null }

const maxAttempts = 6
/** The delays are one minute, four, sixteen, an hour, four hours. */
const getRetryDelayMs = (attempts: number): number => 60_000 * 4 ** Math.max(0, attempts - 1)
const completeStep = (displayedStatus: DisplayedChatStatus | null, failure: ChatUpdateFailure | null = null): ChatUpdateStep => ({
  step: 'done',
  displayedStatus,
  failure,
})

/** The platform's support for card updates; null if the company is no longer bound. */
export type ChatUpdateCapabilities = { readonly updateSupport?: 'once' | 'often'; readonly canRecall: boolean } | null

/** Decides before the first request. A card that can be updated only once keeps that update for a withdrawal. */
export function decideFirstStep(requestedStatus: ChatStatus, capabilities: ChatUpdateCapabilities): ChatUpdateStep {
  if (!capabilities) return completeStep(null, 'unbound')
  if (capabilities.updateSupport === 'once' && requestedStatus !== 'withdrawn') return completeStep(null)
  if (capabilities.updateSupport) return { step: 'amend' }
  return capabilities.canRecall && requestedStatus === 'withdrawn' ? { step: 'recall' } : completeStep(null, 'unsupported')
}

/** A withdrawal is written on the card so that the recipient knows what happened; a card that cannot be updated is recalled. */
export function decideAfterUpdate(
  requestedStatus: ChatStatus,
  result: ChatUpdateResult,
  attempts: number,
  capabilities: ChatUpdateCapabilities,
): ChatUpdateStep {
  if (result === 'updated') return completeStep(requestedStatus)
  if (result === 'gone') return completeStep('gone')
  if (result === 'unclear')
    return attempts < maxAttempts ? { step: 'again', delayMs: getRetryDelayMs(attempts) } : completeStep(null, 'unclear')
  return requestedStatus === 'withdrawn' && capabilities?.canRecall ? { step: 'recall' } : completeStep(null, result)
}

export function decideAfterRecall(result: 'recalled' | 'refused' | 'unclear', attempts: number): ChatUpdateStep {
  if (result === 'recalled') return completeStep('recalled')
  if (result === 'unclear' && attempts < maxAttempts) return { step: 'again', delayMs: getRetryDelayMs(attempts) }
  return completeStep(null, result === 'unclear' ? 'unclear' : 'too_late')
}
