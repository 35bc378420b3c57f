/** What stays on the page until the user or the network settles it: a lost connection, an action that did not arrive. */
export type Notice = { text: string; retry: () => void; close?: () => void }

let current: Notice | null = null
const listeners = new Set<() => void>()

export const getNotice = (): Notice | null => current
export function setNotice(notice: Notice | null): void {
  current = notice
  for (const listener of listeners) listener()
}
/** Subscribes to changes; returns a function that ends the subscription. */
export function subscribeToNotice(listener: () => void): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}
