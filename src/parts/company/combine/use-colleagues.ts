import { useCallback, useEffect, useState } from 'react'
import type { Colleagues, WhyNotShown } from '../../../../platform/client/colleagues.ts'
import { programOf } from '../../../../platform/client/index.ts'
import { jsConfigCalls } from '../../../../server/contract/account/platform-sign-in.ts'
import { send } from '../../../api-core.ts'
import type { BoundInfo } from '../platform/bound.tsx'

/** What the platform's own program shows of people whose names it hides from us. */
export type ColleagueView =
  /** It tells us the names. */
  | { readonly state: 'told' }
  /** In a browser, or in another program. */
  | { readonly state: 'outside' }
  | { readonly state: 'waiting' }
  /** `lost`: what asks the program did not come itself. */
  | { readonly state: 'failed'; readonly why: WhyNotShown | 'lost'; again(): void }
  | { readonly state: 'shown'; readonly colleagues: Colleagues }

const isInside = () => programOf(navigator) === 'wecom'
/** What a document may load was said when it was opened: here, or at another page of the desk, from which one has come without opening one. */
const isOpenedHere = () => {
  const [opened] = performance.getEntriesByType('navigation')
  return opened === undefined || new URL(opened.name).pathname === location.pathname
}

async function shownBy(corp_id: string, again: () => void): Promise<ColleagueView> {
  const sign = (url: string) => send(jsConfigCalls.wecom, { url, corp: corp_id, of: 'application' }).catch(() => null)
  const { NotShown, wecomColleagues } = await import('../../../../platform/client/colleagues.ts')
  try {
    return { state: 'shown', colleagues: await wecomColleagues(window, { sign }) }
  } catch (error) {
    return { state: 'failed', why: error instanceof NotShown ? error.why : 'old', again }
  }
}

export function useColleagues({
  provider,
  corp_id,
  abilities,
}: Pick<BoundInfo, 'provider' | 'corp_id' | 'abilities'>): ColleagueView {
  const isHidden = provider === 'wecom' && !abilities.names
  const [shown, setShown] = useState<ColleagueView>(isHidden ? { state: isInside() ? 'waiting' : 'outside' } : { state: 'told' })
  const again = useCallback(() => setShown({ state: 'waiting' }), [])
  const isWaiting = shown.state === 'waiting'
  // A script of the program's is fetched, and it is asked.
  useEffect(() => {
    if (!isWaiting) return
    if (!isOpenedHere()) return location.reload()
    let isOver = false
    const say = (next: ColleagueView) => {
      if (!isOver) setShown(next)
    }
    shownBy(corp_id, again).then(say, () => say({ state: 'failed', why: 'lost', again }))
    return () => {
      isOver = true
    }
  }, [isWaiting, corp_id, again])
  return shown
}
