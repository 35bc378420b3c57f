import { useQuery } from '@tanstack/react-query'
import { createFileRoute, useRouter } from '@tanstack/react-router'
import { useEffect } from 'react'
import { ApiError, toSignIn } from '../api.ts'
import { session } from '../api-core.ts'
import { roleQuery } from '../session.ts'
import { landingOf, ownPage } from '../shell/landing.ts'
import { textOf } from '../ui/search.ts'
import { ErrorState } from '../ui/state/error-state.tsx'
import { Skeleton } from '../ui/state/skeleton.tsx'
import '../ui/table/desk.css'

export const Route = createFileRoute('/landing')({
  staticData: { title: '正在进入' },
  validateSearch: (raw): { page?: string | undefined } => ({ page: textOf(raw.page) }),
  component: Landing,
})

/** Loads the role info and goes on to the page asked for, or to the one that fits the person's powers. */
function Landing() {
  const { page } = Route.useSearch()
  const router = useRouter()
  const signedOut = !session.token
  const { data: me, error, refetch } = useQuery({ ...roleQuery, enabled: !signedOut })
  const isEmployee = error instanceof ApiError && error.is('not_permitted')
  // The address is outside React: this page only ever sends one on.
  useEffect(() => {
    if (signedOut) toSignIn()
    if (!me && !isEmployee) return
    const wanted = ownPage(page, (pathname) => router.getMatchedRoutes(pathname)[2] !== undefined)
    void router.navigate({ href: wanted ?? (me ? landingOf(me) : '/m/slips'), replace: true })
  }, [signedOut, me, isEmployee, page, router])
  if (error && !isEmployee) return <ErrorState error={error} retry={() => void refetch()} />
  return (
    <main className="ui-page">
      <Skeleton rows={4} />
    </main>
  )
}
