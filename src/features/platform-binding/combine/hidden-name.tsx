import { createElement, useCallback } from 'react'
import type { PlatformUserView } from './use-platform-users.ts'

type HiddenNameProps = { view: PlatformUserView; nameType: 'userName' | 'departmentName'; id: string }

/** A name that the platform renders into the page, so that we never receive it; else the id is shown instead. */
export function HiddenName({ view, nameType, id }: HiddenNameProps) {
  const userPicker = view.state === 'shown' ? view.userPicker : null
  const renderName = useCallback(
    (element: Element | null) => (element ? userPicker?.renderName(element) : undefined),
    [userPicker],
  )
  if (!userPicker) return <>{id}</>
  // Another id gets another element: after rendering, the element belongs to the platform.
  return createElement('ww-open-data', { key: id, ref: renderName, type: nameType, openid: id })
}
