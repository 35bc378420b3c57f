import { createFileRoute } from '@tanstack/react-router'
import { getPublicInfo } from '../../../server/contract/auth/sign-in.ts'
import { callQuery, queryClient } from '../../api.ts'
import { NotFound } from '../../app/not-found.tsx'
import { DesktopTheme } from '../../app/theme/desktop-theme.tsx'
import { Widgets } from './-widgets.tsx'

/** The shared widgets in all their states, for developers. This page does not exist in production. */
export const Route = createFileRoute('/dev/ui')({
  staticData: { title: '控件' },
  loader: () => queryClient.ensureQueryData(callQuery(getPublicInfo, {})),
  component: Story,
})

function Story() {
  if (!Route.useLoaderData().demo) return <NotFound />
  return (
    <DesktopTheme>
      <Widgets />
    </DesktopTheme>
  )
}
