import { createFileRoute } from '@tanstack/react-router'
import { getPublicInfo } from '../../../server/contract/account/account.ts'
import { cache, query } from '../../api.ts'
import { DeskLook } from '../../shell/look/desk-look.tsx'
import { NotFound } from '../../shell/not-found.tsx'
import { Widgets } from './-widgets.tsx'

/** The shared widgets, each in its states, for those who build pages. In production there is no such page. */
export const Route = createFileRoute('/dev/ui')({
  staticData: { title: '控件' },
  loader: () => cache.ensureQueryData(query(getPublicInfo, {})),
  component: Story,
})

function Story() {
  if (!Route.useLoaderData().demo) return <NotFound />
  return (
    <DeskLook>
      <Widgets />
    </DeskLook>
  )
}
