import { useQuery } from '@tanstack/react-query'
import { Outlet, useMatches } from '@tanstack/react-router'
import { lazy, Suspense, useEffect, useState } from 'react'
import { may } from '../../../server/contract/who.ts'
import { toSignIn } from '../../api.ts'
import { session } from '../../api-core.ts'
import { personOf, type Role, roleQuery } from '../../session.ts'
import { narrow, sideMenu } from '../../theme.ts'
import { useNarrow } from '../../ui/media.ts'
import { Empty } from '../../ui/state/empty.tsx'
import { ErrorState } from '../../ui/state/error-state.tsx'
import { Skeleton } from '../../ui/state/skeleton.tsx'
import { carryWithKy } from '../carry.ts'
import { DeskLook } from '../look/desk-look.tsx'
import { SideMenu } from './side-menu.tsx'
import { TopBar } from './top-bar.tsx'
import '../../ui/table/desk.css'
import '../../ui/table/table.css'
import shellStyles from './shell.module.css'

// Few people need these, so they do not come with the first view.
const EarlyPasswordDialog = lazy(async () => ({ default: (await import('../dialogs/password.tsx')).EarlyPasswordDialog }))
const TrialDialog = lazy(async () => ({ default: (await import('../dialogs/trial.tsx')).TrialDialog }))
const ServingBanner = lazy(async () => ({ default: (await import('../../parts/company/agency/banner.tsx')).ServingBanner }))
const Drawer = lazy(async () => ({ default: (await import('../../ui/over/layers.tsx')).Drawer }))

/** The desk: top bar, side menu, and the page for those who may see it. */
export function Desk() {
  const signedOut = !session.token
  useState(carryWithKy)
  // Leaving the app is a navigation of the whole window.
  useEffect(() => {
    if (signedOut) toSignIn()
  }, [signedOut])
  if (signedOut) return null
  return (
    <DeskLook>
      <Frame />
    </DeskLook>
  )
}

function Frame() {
  const asked = useQuery(roleQuery)
  const me = asked.data
  const isNarrow = useNarrow(narrow)
  const [menuOpen, setMenuOpen] = useState(false)
  return (
    <div className={shellStyles.desk}>
      <a className={shellStyles.skip} href="#page">
        跳到内容
      </a>
      <TopBar me={me} onMenu={isNarrow ? () => setMenuOpen(true) : undefined} />
      {isNarrow ? (
        <Suspense fallback={null}>
          <Drawer
            open={menuOpen}
            onClose={() => setMenuOpen(false)}
            placement="left"
            size={sideMenu + 30}
            title="菜单"
            styles={{ body: { padding: 0 } }}
          >
            {me && <SideMenu me={me} onGo={() => setMenuOpen(false)} />}
          </Drawer>
        </Suspense>
      ) : (
        <aside className={`${shellStyles.deskSide} no-print`}>{me && <SideMenu me={me} />}</aside>
      )}
      <main id="page" className={shellStyles.deskPage} tabIndex={-1} data-scroll-restoration-id="page">
        {me?.serving && (
          <Suspense fallback={null}>
            <ServingBanner name={me.corp.name} until={me.serving.until} />
          </Suspense>
        )}
        {me ? (
          <Guarded me={me} />
        ) : asked.error ? (
          <ErrorState error={asked.error} retry={() => void asked.refetch()} />
        ) : (
          <div className="ui-page">
            <Skeleton rows={8} />
          </div>
        )}
      </main>
      {me && <Greetings me={me} />}
    </div>
  )
}

/** What opens by itself on arrival, one after the other (spec §4): the first password, then what the trial is. */
function Greetings({ me }: { me: Role }) {
  const [later, setLater] = useState(false)
  const first = me.user.pass_status === 10 && !later
  return (
    <Suspense fallback={null}>
      {me.user.pass_status === 10 && <EarlyPasswordDialog open={first} onClose={() => setLater(true)} />}
      {me.trail_info.trail_status === 10 && !first && <TrialDialog days_left={me.trail_info.days_left} />}
    </Suspense>
  )
}

/** The page's own `who` decides, the same that its calls declare on the server. */
function Guarded({ me }: { me: Role }) {
  const who = useMatches({ select: (matches) => matches.at(-1)?.staticData.who })
  if (!who || may(personOf(me), who)) return <Outlet />
  return (
    <Empty
      drawing="search"
      text="您没有权限查看这个页面。需要的话，请联系企业管理员为您开通。"
      action={
        <a className="ui-button" href="/landing">
          回到首页
        </a>
      }
    />
  )
}
