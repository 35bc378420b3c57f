import { useSyncExternalStore } from 'react'
import { darkQuery, stillQuery } from '../theme.ts'

/** A media query, live. */
const useMedia = (media: string) =>
  useSyncExternalStore(
    (changed) => {
      const list = matchMedia(media)
      list.addEventListener('change', changed)
      return () => list.removeEventListener('change', changed)
    },
    () => matchMedia(media).matches,
  )

export const useDark = () => useMedia(darkQuery)
export const useStill = () => useMedia(stillQuery)
export const useNarrow = (width: number) => useMedia(`(max-width: ${width}px)`)

/** How high the window is, live. */
export const useHeight = () =>
  useSyncExternalStore(
    (changed) => {
      addEventListener('resize', changed)
      return () => removeEventListener('resize', changed)
    },
    () => innerHeight,
  )
