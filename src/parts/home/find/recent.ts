import { useSyncExternalStore } from 'react'

/** What was opened from here last, in this window only: names of people and of pay runs do not stay behind on a shared computer. */
export type RecentFind = { readonly key: string; readonly title: string; readonly note: string; readonly href: string }

const kept_under = 'found'
const most = 8
const isRecent = (value: unknown): value is RecentFind =>
  typeof value === 'object' &&
  value !== null &&
  ['key', 'title', 'note', 'href'].every((name) => typeof Reflect.get(value, name) === 'string')

const read = (): readonly RecentFind[] => {
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(kept_under) ?? '[]')
    return Array.isArray(kept) ? kept.filter(isRecent) : []
  } catch {
    return []
  }
}
let recent = read()
const listeners = new Set<() => void>()
function keep(next: readonly RecentFind[]) {
  recent = next
  try {
    sessionStorage.setItem(kept_under, JSON.stringify(recent))
  } catch {
    // Then they are known until the window is reloaded.
  }
  for (const listener of listeners) listener()
}
const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

export const useRecent = () => useSyncExternalStore(subscribe, () => recent)
export const remember = (one: RecentFind) => keep([one, ...recent.filter(({ key }) => key !== one.key)].slice(0, most))
export const forgetRecent = () => keep([])
