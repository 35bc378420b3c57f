import { useQuery } from '@tanstack/react-query'
import { createFileRoute, useRouter } from '@tanstack/react-router'
import { useEffect } from 'react'
import { ApiError, redirectToSignIn } from '../api.ts'
import { session } from '../api-core.ts'
import { getLandingPath, parseReturnPath } from '../app/landing.ts'
import { parseText } from '../components/search-params.ts'
import { ErrorState } from '../components/state/error-state.tsx'
import { Skeleton } from '../components/state/skeleton.tsx'
import { currentUserQuery } from '../session.ts'
import '../components/table/desktop.css'

export const Route = createFileRoute('/landing')({
  staticData: { title: '正在进入' },
  validateSearch: (raw): { page?: string | undefined } => ({ page: parseText(raw.page) }),
  component: LandingPage,
})

/** Loads the user's powers and redirects to the requested page, or to the one that fits those powers. */
function LandingPage() {
  const { page } = Route.useSearch()
  const router = useRouter()
  const signedOut = !session.token
  const { data: user, error, refetch } = useQuery({ ...currentUserQuery, enabled: !signedOut })
  const isEmployee = error instanceof ApiError && error.is('not_permitted')
  // Navigation is a side effect outside React: this page only redirects.
  useEffect(() => {
    if (signedOut) redirectToSignIn()
    if (!user && !isEmployee) return
    const returnPath = parseReturnPath(page, (pathname) => router.getMatchedRoutes(pathname)[2] !== undefined)
    void router.navigate({ href: returnPath ?? (user ? getLandingPath(user) : '/m/slips'), replace: true })
  }, [signedOut, user, isEmployee, page, router])
  if (error && !isEmployee) return <ErrorState error={error} retry={() => void refetch()} />
  return (
    <main className="ui-page">
      <Skeleton rows={4} />
    </main>
  )
}
