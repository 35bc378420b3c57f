import { createElement, useCallback } from 'react'
import type { PlatformUserView } from './use-platform-users.ts'

type HiddenNameProps = { view: PlatformUserView; nameType: 'userName' | 'departmentName'; id: string }

/** A name that the platform draws into the page itself, so that we never have it; its id stands for it wherever it does not. */
export function HiddenName({ view, nameType, id }: HiddenNameProps) {
  const userPicker = view.state === 'shown' ? view.userPicker : null
  const renderName = useCallback(
    (element: Element | null) => (element ? userPicker?.renderName(element) : undefined),
    [userPicker],
  )
  if (!userPicker) return <>{id}</>
  // Of another id it is another element: once drawn into it is the platform's.
  return createElement('ww-open-data', { key: id, ref: renderName, type: nameType, openid: id })
}
