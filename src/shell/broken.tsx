import type { ErrorComponentProps } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { cache } from '../api.ts'
import { ErrorState } from '../ui/state/error-state.tsx'
import { newNumber, report } from './report/number.ts'

/** A new version has replaced the files that this page was made of. */
const isGone = (error: unknown) =>
  error instanceof Error && /dynamically imported module|importing a module script|error loading/i.test(error.message)

/** A page that failed while drawing itself: says so kindly, with the number under which it stands in the log. */
export function Broken({ error, reset }: ErrorComponentProps) {
  const [number] = useState(newNumber)
  // Reported once per error, after it is on the screen.
  useEffect(() => report(error, number), [error, number])
  // What the page could not draw is asked for anew, or it would break again.
  const again = () => {
    cache.removeQueries({ type: 'inactive' })
    reset()
  }
  const known = error instanceof Error && 'request_id' in error ? error : null
  return (
    <main style={{ display: 'grid', placeItems: 'center', minHeight: '60vh' }}>
      <ErrorState error={known ?? { request_id: number }} retry={isGone(error) ? () => location.reload() : again} />
    </main>
  )
}
