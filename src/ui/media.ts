import { useSyncExternalStore } from 'react'
import { darkModeQuery, reducedMotionQuery } from '../theme.ts'

/** A media query, live. */
const useMediaQuery = (mediaQuery: string) =>
  useSyncExternalStore(
    (onChange) => {
      const list = matchMedia(mediaQuery)
      list.addEventListener('change', onChange)
      return () => list.removeEventListener('change', onChange)
    },
    () => matchMedia(mediaQuery).matches,
  )

export const useDarkMode = () => useMediaQuery(darkModeQuery)
export const useReducedMotion = () => useMediaQuery(reducedMotionQuery)
export const useIsNarrow = (width: number) => useMediaQuery(`(max-width: ${width}px)`)

/** How high the window is, live. */
export const useWindowHeight = () =>
  useSyncExternalStore(
    (onChange) => {
      addEventListener('resize', onChange)
      return () => removeEventListener('resize', onChange)
    },
    () => innerHeight,
  )
