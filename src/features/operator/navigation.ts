import { useRouter } from '@tanstack/react-router'
import { useSyncExternalStore } from 'react'
import { type PageParams, parseEnum, parsePageParams, parseText } from '../../components/search-params.ts'
import { type OperatorView, operatorViews } from './labels.ts'

export type OperatorSearch = PageParams & {
  view?: OperatorView | undefined
  find?: string | undefined
  status?: string | undefined
}

/** Returns the search parameters of the current address. */
export function useOperatorSearch(): OperatorSearch {
  const { history } = useRouter()
  const searchString = useSyncExternalStore(history.subscribe, () => history.location.search)
  const raw = Object.fromEntries(new URLSearchParams(searchString))
  return {
    ...parsePageParams(raw),
    view: parseEnum(raw.view, operatorViews),
    find: parseText(raw.find),
    status: parseText(raw.status),
  }
}

/** Returns a function that navigates to other search parameters. */
export function useOperatorNavigate(): (search: OperatorSearch) => void {
  const { history } = useRouter()
  return (search) => {
    const entries = Object.entries(search).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]))
    history.push(entries.length > 0 ? `/ops?${new URLSearchParams(entries)}` : '/ops')
  }
}
