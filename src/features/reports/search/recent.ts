import { useSyncExternalStore } from 'react'

/** The results opened last, stored only for this window: names of members and pay runs must not remain on a shared computer. */
export type RecentResult = { readonly key: string; readonly title: string; readonly note: string; readonly href: string }

const storageKey = 'found'
const maxRecent = 8
const isRecent = (value: unknown): value is RecentResult =>
  typeof value === 'object' &&
  value !== null &&
  ['key', 'title', 'note', 'href'].every((name) => typeof Reflect.get(value, name) === 'string')

const loadRecent = (): readonly RecentResult[] => {
  try {
    const stored: unknown = JSON.parse(sessionStorage.getItem(storageKey) ?? '[]')
    return Array.isArray(stored) ? stored.filter(isRecent) : []
  } catch {
    return []
  }
}
let recentResults = loadRecent()
const listeners = new Set<() => void>()
function saveRecent(next: readonly RecentResult[]) {
  recentResults = next
  try {
    sessionStorage.setItem(storageKey, JSON.stringify(recentResults))
  } catch {
    // Without storage, the recent searches last until the window is reloaded.
  }
  for (const listener of listeners) listener()
}
const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

export const useRecentResults = () => useSyncExternalStore(subscribe, () => recentResults)
export const addRecent = (result: RecentResult) =>
  saveRecent([result, ...recentResults.filter(({ key }) => key !== result.key)].slice(0, maxRecent))
export const clearRecent = () => saveRecent([])
