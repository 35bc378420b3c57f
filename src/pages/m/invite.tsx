import { useQuery } from '@tanstack/react-query'
import { createFileRoute } from '@tanstack/react-router'
import { getInvite } from '../../../server/contract/invites/invite.ts'
import { ApiError, callQuery } from '../../api.ts'
import { lazyComponent } from '../../components/lazy.tsx'
import { parseText } from '../../components/search-params.ts'
import { EmptyState } from '../../components/state/empty-state.tsx'
import { ErrorState } from '../../components/state/error-state.tsx'
import { Skeleton } from '../../components/state/skeleton.tsx'
import styles from '../../features/auth/sign-in/sign-in.module.css'
import employeeStyles from '../../features/payslips/employee/m.module.css'

export const Route = createFileRoute('/m/invite')({
  staticData: { title: '加入企业', who: 'public' },
  validateSearch: (raw): { code?: string | undefined } => ({ code: parseText(raw.code) }),
  component: InvitePage,
})

const JoinCompany = lazyComponent(async () => (await import('../../features/invites/invite-join.tsx')).JoinCompany)

/** The invite steps: company, phone verification, own password, done. */
function InvitePage() {
  const { code } = Route.useSearch()
  return <main className="pocket-login">{code ? <ValidInvite code={code} /> : <InvalidInvite />}</main>
}

function ValidInvite({ code }: { code: string }) {
  const invite = useQuery({ ...callQuery(getInvite, { code }), staleTime: Number.POSITIVE_INFINITY, retry: false })
  if (invite.data) return <JoinCompany code={code} invite={invite.data} dead={<InvalidInvite />} />
  if (!invite.error) return <Skeleton />
  // A truncated address is treated as an invalid invite.
  const isInvalid = invite.error instanceof ApiError && (invite.error.is('not_found') || invite.error.is('invalid'))
  return isInvalid ? <InvalidInvite /> : <ErrorState error={invite.error} retry={() => void invite.refetch()} />
}

/** Shown alike for expired, used, replaced and truncated invites. Most users who come here have already joined. */
function InvalidInvite() {
  return (
    <div className={styles.root}>
      <h1>邀请已失效</h1>
      <EmptyState
        illustration="letter"
        text="这个邀请无效、已过期或已经使用过。请联系企业管理员重新邀请；如果您已经加入，直接登录即可。"
        action={
          <a className={`ui-button ${employeeStyles.button}`} href="/m/login">
            去登录
          </a>
        }
      />
    </div>
  )
}
