import { useQuery } from '@tanstack/react-query'
import { Outlet, useMatches } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { canAccess } from '../../../server/contract/access.ts'
import { ApiError, redirectToSignIn } from '../../api.ts'
import { session } from '../../api-core.ts'
import { useIsNarrow } from '../../components/media.ts'
import { EmptyState } from '../../components/state/empty-state.tsx'
import { ErrorState } from '../../components/state/error-state.tsx'
import { Skeleton } from '../../components/state/skeleton.tsx'
import { useIdentityProofRequest } from '../../features/auth/account/identity-proof.ts'
import { type CurrentUser, currentUserQuery, toAccessSubject } from '../../session.ts'
import { narrowWidth, sideMenuWidth } from '../../theme.ts'
import { installKyTransport } from '../ky-transport.ts'
import { DesktopTheme } from '../theme/desktop-theme.tsx'
import { SideMenu } from './side-menu.tsx'
import { TopBar } from './top-bar.tsx'
import '../../components/table/desktop.css'
import '../../components/table/table.css'
import { lazyDialog, lazyExtra } from '../../components/lazy.tsx'
import shellStyles from './shell.module.css'

// Few users need these dialogs, so they are not part of the first view.
const EarlyPasswordDialog = lazyDialog(async () => (await import('../dialogs/password.tsx')).EarlyPasswordDialog)
const IdentityProofDialog = lazyDialog(
  async () => (await import('../../features/auth/account/identity-proof-dialog.tsx')).IdentityProofDialog,
)
const TrialDialog = lazyDialog(async () => (await import('../dialogs/trial.tsx')).TrialDialog)
const ServingBanner = lazyExtra(async () => (await import('../../features/agency/banner.tsx')).AgencyBanner)
const Drawer = lazyDialog(async () => (await import('../../components/overlay/layers.tsx')).Drawer)

/** The desktop layout: top bar, side menu, and the page for users who may see it. */
export function DesktopLayout() {
  const signedOut = !session.token
  useState(installKyTransport)
  // Leaving the app is a navigation of the whole window.
  useEffect(() => {
    if (signedOut) redirectToSignIn()
  }, [signedOut])
  if (signedOut) return null
  return (
    <DesktopTheme>
      <DesktopFrame />
    </DesktopTheme>
  )
}

function DesktopFrame() {
  const currentUserResult = useQuery(currentUserQuery)
  const currentUser = currentUserResult.data
  const isNarrow = useIsNarrow(narrowWidth)
  const [menuOpen, setMenuOpen] = useState(false)
  const isProofRequested = useIdentityProofRequest()
  return (
    <div className={shellStyles.desk}>
      <a className={shellStyles.skip} href="#page">
        跳到内容
      </a>
      <TopBar me={currentUser} onMenu={isNarrow ? () => setMenuOpen(true) : undefined} />
      {isNarrow ? (
        <>
          <Drawer
            open={menuOpen}
            onClose={() => setMenuOpen(false)}
            placement="left"
            size={sideMenuWidth + 30}
            title="菜单"
            styles={{ body: { padding: 0 } }}
          >
            {currentUser && <SideMenu me={currentUser} onGo={() => setMenuOpen(false)} />}
          </Drawer>
        </>
      ) : (
        <aside className={`${shellStyles.deskSide} no-print`}>{currentUser && <SideMenu me={currentUser} />}</aside>
      )}
      <main id="page" className={shellStyles.deskPage} tabIndex={-1} data-scroll-restoration-id="page">
        {currentUser && (
          <div className={shellStyles.printMark} aria-hidden>
            {currentUser.corp.logo && <img src={currentUser.corp.logo} alt="" />}
            <strong>{currentUser.corp.name}</strong>
          </div>
        )}
        {currentUser?.agency_service && (
          <>
            <ServingBanner name={currentUser.corp.name} until={currentUser.agency_service.until} />
          </>
        )}
        {currentUser ? (
          <GuardedPage me={currentUser} />
        ) : currentUserResult.error ? (
          <UserError error={currentUserResult.error} retry={() => void currentUserResult.refetch()} />
        ) : (
          <div className="ui-page">
            <Skeleton rows={8} />
          </div>
        )}
      </main>
      {currentUser && <StartupDialogs me={currentUser} />}
      {isProofRequested && <IdentityProofDialog />}
    </div>
  )
}

/**
 * The dialogs that open by themselves on arrival, one after the other (spec §4): the first password, then the trial
 * information.
 */
function StartupDialogs({ me: currentUser }: { me: CurrentUser }) {
  const [isPostponed, setLater] = useState(false)
  const showsPassword = currentUser.user.pass_status === 10 && !isPostponed
  return (
    <>
      {currentUser.user.pass_status === 10 && <EarlyPasswordDialog open={showsPassword} onClose={() => setLater(true)} />}
      {/* The trial of a customer is no matter of the agency that works for it. */}
      {currentUser.trail_info.trail_status === 10 && !currentUser.agency_service && !showsPassword && (
        <TrialDialog days_left={currentUser.trail_info.days_left} />
      )}
    </>
  )
}

/** An employee without any power has pages of their own. */
function UserError({ error, retry }: { error: unknown; retry: () => void }) {
  if (!(error instanceof ApiError && error.is('not_permitted'))) return <ErrorState error={error} retry={retry} />
  return (
    <EmptyState
      illustration="letter"
      text="这里是管理后台，您没有管理员权限。"
      action={
        <a className="ui-button" href="/m/slips">
          查看我的工资条
        </a>
      }
    />
  )
}

/** Guards a page with its own `access`, the same that its calls declare on the server. */
function GuardedPage({ me: currentUser }: { me: CurrentUser }) {
  const access = useMatches({ select: (matches) => matches.at(-1)?.staticData.who })
  if (!access || canAccess(toAccessSubject(currentUser), access)) return <Outlet />
  return (
    <EmptyState
      illustration="search"
      text="您没有权限查看这个页面。需要的话，请联系企业管理员为您开通。"
      action={
        <a className="ui-button" href="/landing">
          回到首页
        </a>
      }
    />
  )
}
