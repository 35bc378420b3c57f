/** What becomes of a card in somebody's chat once more is known than when it was sent. Pure. */

/** What a platform said to writing on a card. */
type Written = 'updated' | 'too_late' | 'gone' | 'unsupported' | 'refused' | 'unclear'
export const cardStates = { viewed: '已查看', confirmed: '已确认', withdrawn: '已撤回' } as const
export type CardState = keyof typeof cardStates
/** Why a card says less than is known. */
export type CardMissed = Exclude<Written, 'updated' | 'gone'> | 'unbound'
export type CardShows = CardState | 'recalled' | 'gone'

export type CardStep =
  | { readonly step: 'amend' }
  | { readonly step: 'recall' }
  | { readonly step: 'again'; readonly wait_ms: number }
  | { readonly step: 'done'; readonly shows: CardShows | null; readonly missed: CardMissed | null }

const most_tries = 6
/** A minute, four, sixteen, an hour, four hours. */
const waitAfter = (tries: number): number => 60_000 * 4 ** Math.max(0, tries - 1)
const done = (shows: CardShows | null, missed: CardMissed | null = null): CardStep => ({ step: 'done', shows, missed })

/** How the platform's cards may be written on; null where the company is bound to none any more. */
export type CardLine = { readonly amends?: 'once' | 'often'; readonly recalls: boolean } | null

/** Before it is asked. A card that may be written on once only keeps that for a withdrawal. */
export function firstStep(wanted: CardState, line: CardLine): CardStep {
  if (!line) return done(null, 'unbound')
  if (line.amends === 'once' && wanted !== 'withdrawn') return done(null)
  if (line.amends) return { step: 'amend' }
  return line.recalls && wanted === 'withdrawn' ? { step: 'recall' } : done(null, 'unsupported')
}

/** A withdrawal says so on the card, so that its owner knows what happened; where nothing can be written any more the card is taken away. */
export function afterAmend(wanted: CardState, result: Written, tries: number, line: CardLine): CardStep {
  if (result === 'updated') return done(wanted)
  if (result === 'gone') return done('gone')
  if (result === 'unclear') return tries < most_tries ? { step: 'again', wait_ms: waitAfter(tries) } : done(null, 'unclear')
  return wanted === 'withdrawn' && line?.recalls ? { step: 'recall' } : done(null, result)
}

export function afterRecall(result: 'recalled' | 'refused' | 'unclear', tries: number): CardStep {
  if (result === 'recalled') return done('recalled')
  if (result === 'unclear' && tries < most_tries) return { step: 'again', wait_ms: waitAfter(tries) }
  return done(null, result === 'unclear' ? 'unclear' : 'too_late')
}
