import { useSyncExternalStore } from 'react'
import { darkModeQuery, reducedMotionQuery } from '../theme.ts'

/** Returns the live result of a media query. */
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
/** Returns whether the page is being printed. */
export const usePrinting = () => useMediaQuery('print')
export const useReducedMotion = () => useMediaQuery(reducedMotionQuery)
export const useIsNarrow = (width: number) => useMediaQuery(`(max-width: ${width}px)`)

/** Returns the live height of the window. */
export const useWindowHeight = () =>
  useSyncExternalStore(
    (onChange) => {
      addEventListener('resize', onChange)
      return () => removeEventListener('resize', onChange)
    },
    () => innerHeight,
  )
