import { useRouter } from '@tanstack/react-router'
import { useSyncExternalStore } from 'react'
import { oneOf, type PageSearch, pageOf, textOf } from '../../../ui/search.ts'
import { type OpsView, views } from './words.ts'

export type OpsSearch = PageSearch & { view?: OpsView | undefined; find?: string | undefined; status?: string | undefined }

/** What the address says is shown. */
export function useOpsSearch(): OpsSearch {
  const { history } = useRouter()
  const said = useSyncExternalStore(history.subscribe, () => history.location.search)
  const raw = Object.fromEntries(new URLSearchParams(said))
  return { ...pageOf(raw), view: oneOf(raw.view, views), find: textOf(raw.find), status: textOf(raw.status) }
}

/** Shows something else; the address says what. */
export function useOpsGo(): (search: OpsSearch) => void {
  const { history } = useRouter()
  return (search) => {
    const said = Object.entries(search).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]))
    history.push(said.length > 0 ? `/ops?${new URLSearchParams(said)}` : '/ops')
  }
}
