import { createElement, useCallback } from 'react'
import type { ColleagueView } from './use-colleagues.ts'

type Hidden = { shown: ColleagueView; of: 'userName' | 'departmentName'; id: string }

/** A name that the platform draws into the page itself, so that we never have it; its id stands for it wherever it does not. */
export function HiddenName({ shown, of, id }: Hidden) {
  const colleagues = shown.state === 'shown' ? shown.colleagues : null
  const draw = useCallback((element: Element | null) => (element ? colleagues?.draw(element) : undefined), [colleagues])
  if (!colleagues) return <>{id}</>
  // Of another id it is another element: once drawn into it is the platform's.
  return createElement('ww-open-data', { key: id, ref: draw, type: of, openid: id })
}
